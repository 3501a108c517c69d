/** The link that logs a phone in with a key, as a QR code and as text. Import it dynamically: the QR code is large. */

import { useId, useState } from "preact/hooks";
import { encode } from "uqr";
import { Check, Copied, Select } from "./elements.tsx";
import type { Translate } from "./words/language.ts";

interface PhoneLinkProps {
  readonly apiKey: string;
  /** Addresses of the dashboard for other devices, used if the page itself is open at an address of this machine only. */
  readonly urls: readonly string[];
  readonly t: Translate<"system">;
  /** Whether the link may open the wall panel: not with a key that may make changes. */
  readonly isPanelOffered?: boolean;
}

/** Returns whether a name leads to this machine only. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

export function PhoneLink({ apiKey, urls, t, isPanelOffered = false }: PhoneLinkProps) {
  // By the name under which it was reached, other devices reach it too.
  const places = isLoopback(location.hostname) ? urls : [new URL(".", document.baseURI).href];
  const [url, setUrl] = useState(places[0] ?? null);
  const [isPanel, setPanel] = useState(false);
  const id = useId();
  if (url === null) return <p class="soft">{t("key_no_network")}</p>;
  const link = `${url}#key=${apiKey}${isPanel ? "&panel" : ""}`;
  return (
    <>
      <p class="soft">{t("key_phone")}</p>
      {isPanelOffered && <Check text={t("key_panel")} checked={isPanel} onCheck={setPanel} />}
      <QrCode text={link} label={t("key_qr")} />
      {places.length > 1 && (
        <div class="field-row">
          <label for={id}>{t("key_address")}</label>
          <Select id={id} value={url} options={places.map((value) => ({ value, text: value }))} onChoose={setUrl} />
        </div>
      )}
      <dl class="setup-facts">
        <div>
          <dt>{t("key_link")}</dt>
          <dd>
            <Copied key={link} text={link} />
          </dd>
        </div>
      </dl>
    </>
  );
}

/** Width of the empty margin, in modules. */
const QUIET = 4;

function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: "M", border: QUIET });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : []))).join("");
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
