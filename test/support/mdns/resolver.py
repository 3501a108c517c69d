"""Prints the announcements of HTTP services that Home Assistant's resolver, zeroconf, receives. One JSON per line."""

import json
import sys

from zeroconf import ServiceBrowser, ServiceListener, Zeroconf

KIND = "_http._tcp.local."


def tell(**fact):
    print(json.dumps(fact), flush=True)


class Printer(ServiceListener):
    def add_service(self, zc, kind, name):
        info = zc.get_service_info(kind, name)
        if info is None:
            return
        path = info.properties.get(b"path")
        tell(
            seen=name.removesuffix("." + KIND),
            host=info.server,
            port=info.port,
            path=path and path.decode(),
            addresses=info.parsed_addresses(),
        )

    def update_service(self, zc, kind, name):
        self.add_service(zc, kind, name)

    def remove_service(self, zc, kind, name):
        tell(gone=name.removesuffix("." + KIND))


ServiceBrowser(Zeroconf(), KIND, Printer())
tell(listening=True)
sys.stdin.read()
