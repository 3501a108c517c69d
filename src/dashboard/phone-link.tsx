/** The link that logs a phone in with a key, as a QR code and as text. Import it dynamically: the QR code is large. */
import { useId, useState } from "preact/hooks";
import { Select } from "./elements.tsx";
import { QrCode } from "./qr-code.tsx";

interface PhoneLinkProps {
  readonly apiKey: string;
  /** Addresses of the dashboard for other devices, used if the page itself is open at an address of this machine only. */
  readonly urls: readonly string[];
  readonly texts: Readonly<Record<"about" | "qr" | "address" | "link" | "none", string>>;
  /** Text of the choice that the link opens the wall panel; absent for a key that may make changes. */
  readonly panel?: string | undefined;
}

/** Returns whether a name leads to this machine only. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

export function PhoneLink({ apiKey, urls, texts, panel }: PhoneLinkProps) {
  // By the name under which it was reached, other devices reach it too.
  const places = isLoopback(location.hostname) ? urls : [new URL(".", document.baseURI).href];
  const [url, setUrl] = useState(places[0] ?? null);
  const [isPanel, setPanel] = useState(false);
  const id = useId();
  if (url === null) return <p class="soft">{texts.none}</p>;
  const link = `${url}#key=${apiKey}${isPanel ? "&panel" : ""}`;
  return (
    <>
      <p class="soft">{texts.about}</p>
      {panel !== undefined && (
        <label class="check">
          <input type="checkbox" checked={isPanel} onChange={({ currentTarget: { checked } }) => setPanel(checked)} />
          {panel}
        </label>
      )}
      <QrCode text={link} label={texts.qr} />
      {places.length > 1 && (
        <div class="field-row">
          <label for={id}>{texts.address}</label>
          <Select id={id} value={url} options={places.map((value) => ({ value, text: value }))} onChoose={setUrl} />
        </div>
      )}
      <dl class="setup-facts">
        <div>
          <dt>{texts.link}</dt>
          <dd>
            <code>{link}</code>
          </dd>
        </div>
      </dl>
    </>
  );
}
