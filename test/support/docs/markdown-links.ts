/** Links and headings of Markdown, by GitHub's rules for anchors. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const INLINE_LINK = /\]\(\s*([^)\s]+)(?:\s+"[^"]*")?\s*\)/g;
const REFERENCE = /^\[[^\]]+\]:\s*(\S+)/gm;
const HTML_LINK = /\b(?:href|src)="([^"]+)"/g;
const EXTERNAL = /^[a-z][a-z0-9+.-]*:/i;

/** Returns the targets of all links and images outside code. */
export function linksOf(markdown: string): string[] {
  const text = withoutBlocks(markdown).replace(/`[^`\n]*`/g, "");
  return [INLINE_LINK, REFERENCE, HTML_LINK].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, target = ""]) => target),
  );
}

/** Returns the anchors of all headings. Repeated headings get the suffix `-1`, `-2` and so on. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(markdown).matchAll(/^#{1,6} +(.+?)\s*$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let i = 1; anchors.has(anchor); i++) anchor = `${slug}-${i}`;
    anchors.add(anchor);
  }
  return anchors;
}

/**
 * Returns the relative links of a page whose file or heading does not exist. `name` is the page's path below `root`.
 */
export function brokenLinks(root: string, name: string): string[] {
  const page = path.join(root, name);
  return linksOf(readFileSync(page, "utf8")).filter((link) => {
    if (EXTERNAL.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? page : path.resolve(path.dirname(page), decodeURI(file));
    if (path.relative(root, target).startsWith("..") || !existsSync(target)) return true;
    return anchor !== undefined && !(target.endsWith(".md") && anchorsOf(readFileSync(target, "utf8")).has(anchor));
  });
}

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^(```|~~~).*?^\1/gms, "").replace(/<!--.*?-->/gs, "");
}
