/**
 * Converts the Markdown that `docs/` uses to HTML: headings, paragraphs, lists, tables, code, bold text, links. A
 * library would have to be installed before the program can be built.
 */

/** Returns where a link leads; null if only its text is shown. */
export type LinkTarget = (target: string) => string | null;

/** Returns the HTML of a text, with an anchor at each heading and at each row of a table that begins with a code. */
export function htmlOf(markdown: string, link: LinkTarget): string {
  return new Converter(link).blocks(markdown.replace(/<!--[\s\S]*?-->|^!\[.*\]\(.*\)$/gm, "").split("\n"));
}

/** Returns the anchor of a heading, by GitHub's rules. */
export function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return text.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

const BLANK = /^\s*$/;
const HEADING = /^(#{1,6}) +(.+?)\s*$/;
const ITEM = /^(-|\d+\.) +/;

class Converter {
  readonly #link: LinkTarget;
  readonly #anchors = new Set<string>();

  constructor(link: LinkTarget) {
    this.#link = link;
  }

  blocks(lines: readonly string[]): string {
    let html = "";
    for (let i = 0; i < lines.length; ) {
      const line = lines[i] ?? "";
      const [count, block] = BLANK.test(line) ? ([1, ""] as const) : this.#block(line, lines.slice(i));
      html += block;
      i += count;
    }
    return html;
  }

  /** Returns the number of lines of the first block, and its HTML. */
  #block(line: string, lines: readonly string[]): readonly [number, string] {
    const [, hashes = "", heading = ""] = HEADING.exec(line) ?? [];
    if (hashes) {
      const level = hashes.length;
      return [1, `<h${level}${this.#anchor(anchorOf(heading))}>${this.#inline(heading)}</h${level}>\n`];
    }
    if (line.startsWith("```")) {
      const end = lines.findIndex((each, i) => i > 0 && each.startsWith("```"));
      const last = end === -1 ? lines.length : end;
      return [last + 1, `<pre><code>${escaped(lines.slice(1, last).join("\n"))}</code></pre>\n`];
    }
    if (line.startsWith("|")) return this.#table(lines);
    if (ITEM.test(line)) return this.#list(lines, /^\d/.test(line) ? "ol" : "ul");
    const end = lines.findIndex(
      (each, i) => i > 0 && (BLANK.test(each) || HEADING.test(each) || ITEM.test(each) || /^(```|\|)/.test(each)),
    );
    const count = end === -1 ? lines.length : end;
    return [count, `<p>${this.#inline(lines.slice(0, count).join(" "))}</p>\n`];
  }

  #table(lines: readonly string[]): readonly [number, string] {
    const end = lines.findIndex((each) => !each.startsWith("|"));
    const count = end === -1 ? lines.length : end;
    const [head = [], , ...rows] = lines.slice(0, count).map(cellsOf);
    const row = (cells: readonly string[], tag: "th" | "td") =>
      cells.map((cell) => `<${tag}>${this.#inline(cell)}</${tag}>`).join("");
    const body = rows.map((cells) => {
      const code = /^`([\w.[\]-]+)`$/.exec(cells[0] ?? "")?.[1];
      return `<tr${code ? this.#anchor(code) : ""}>${row(cells, "td")}</tr>\n`;
    });
    const html = `<table>\n<thead><tr>${row(head, "th")}</tr></thead>\n<tbody>\n${body.join("")}</tbody>\n</table>`;
    return [count, `<div class="wide">${html}</div>\n`];
  }

  #list(lines: readonly string[], tag: "ul" | "ol"): readonly [number, string] {
    const items: string[][] = [];
    let count = 0;
    for (const line of lines) {
      const isBelow = /^ {2,}/.test(line);
      const nextIsBelow = BLANK.test(line) && /^ {2,}\S/.test(lines[count + 1] ?? "");
      if (ITEM.test(line)) items.push([line.replace(ITEM, "")]);
      else if (isBelow || nextIsBelow) items.at(-1)?.push(line.replace(/^ {2,3}/, ""));
      else break;
      count++;
    }
    const body = items.map((item) => `<li>${withoutOnlyParagraph(this.blocks(item))}</li>\n`);
    return [count, `<${tag}>\n${body.join("")}</${tag}>\n`];
  }

  /** Returns the attribute of an anchor; empty if the page has it already, as for the second of two equal rows. */
  #anchor(anchor: string): string {
    if (this.#anchors.has(anchor)) return "";
    this.#anchors.add(anchor);
    return ` id="${escaped(anchor)}"`;
  }

  /** Returns the HTML of a text in a line. Code is taken out first, so that nothing in it is converted. */
  #inline(text: string): string {
    const codes: string[] = [];
    const kept = text.replace(/(`+)(.+?)\1/g, (_, _ticks, code: string) => `\0${codes.push(code) - 1}\0`);
    return escaped(kept)
      .replace(/!\[([^\]]*)\]\([^)]*\)/g, "")
      .replace(/\[([^\]]*)\]\(([^)\s]*)\)/g, (_, label: string, target: string) => {
        const href = this.#link(target);
        return href === null ? label : `<a href="${href}">${label}</a>`;
      })
      .replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>")
      .replace(/(?<![\w*])\*([^*\s][^*]*)\*(?!\w)/g, "<em>$1</em>")
      .replace(/\0(\d+)\0/g, (_, index: string) => `<code>${escaped(codes[Number(index)] ?? "")}</code>`);
  }
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function withoutOnlyParagraph(html: string): string {
  const only = /^<p>((?:(?!<p>)[\s\S])*?)<\/p>\n/.exec(html);
  return only ? `${only[1] ?? ""}${html.slice(only[0].length)}` : html;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
