/**
 * Compares screenshots with stored thumbnails, one cell for 8 x 8 pixels. So a block that is missing, moved or of another
 * colour is found, and other versions of Chromium and of its fonts are not: a cell may also look like one next to it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import type { Screen } from "./screen.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../golden/pictures");
/** Where a picture is left that looks different. */
const SEEN = path.resolve(import.meta.dirname, "../../../build/pictures");
const CELL_PX = 8;
/** Difference of brightness, of 255, from which on a cell looks different. */
const MIN_DIFFERENCE = 24;
/** Share of cells that may look different. Text of a font with serifs makes up to 0.5 %, a card that is missing 1 to 4 %. */
const MAX_SHARE = 0.006;

/** In the page: draws a picture in cells, and returns their brightness and the thumbnail. */
const SHRUNK = `async ({ data, cell }) => {
  const picture = await createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob());
  const [width, height] = [Math.round(picture.width / cell), Math.round(picture.height / cell)];
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, width, height);
  const { data: pixels } = context.getImageData(0, 0, width, height);
  const cells = Array.from({ length: width * height }, (_, i) => Math.round((pixels[4 * i] + pixels[4 * i + 1] + pixels[4 * i + 2]) / 3));
  return { width, cells, png: canvas.toDataURL("image/png").split(",")[1] };
}`;

type Shrunk = { readonly width: number; readonly cells: readonly number[]; readonly png: string };

/**
 * Returns what is wrong with the shown screen; null if it looks as stored. `GOLDEN=update` stores it. `blank` is a page
 * that draws.
 */
export async function differenceFrom(name: string, screen: Screen, blank: Page): Promise<string | null> {
  const shot = await screen.page.screenshot();
  const shown = await shrunk(blank, shot, CELL_PX);
  const file = path.join(FOLDER, `${name}.png`);
  if (process.env.GOLDEN === "update") {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, Buffer.from(shown.png, "base64"));
    return null;
  }
  if (!existsSync(file)) return `${name}: there is no stored picture; GOLDEN=update makes it`;
  const share = differingShare(await shrunk(blank, readFileSync(file), 1), shown);
  if (share <= MAX_SHARE) return null;
  const seen = path.join(SEEN, `${name}.png`);
  mkdirSync(SEEN, { recursive: true });
  writeFileSync(seen, shot);
  return `${name}: ${(share * 100).toFixed(1)} % looks different from ${file}; see ${seen}`;
}

async function shrunk(page: Page, png: Buffer, cell: number): Promise<Shrunk> {
  const given = JSON.stringify({ data: png.toString("base64"), cell });
  return (await page.evaluate(`(${SHRUNK})(${given})`)) as Shrunk;
}

/** Returns the share of the cells of either picture that the other has neither there nor next to it; 1 for another size. */
function differingShare(stored: Cells, shown: Cells): number {
  if (stored.width !== shown.width || stored.cells.length !== shown.cells.length) return 1;
  return Math.max(lackingShare(stored, shown), lackingShare(shown, stored));
}

type Cells = Pick<Shrunk, "width" | "cells">;
const NEAR = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right] as const));

function lackingShare({ width, cells }: Cells, { cells: others }: Cells): number {
  const lacking = cells.filter((brightness, i) => {
    const column = i % width;
    return !NEAR.some(([down, right]) => {
      const other = column + right < 0 || column + right >= width ? undefined : others[i + down * width + right];
      return other !== undefined && Math.abs(other - brightness) < MIN_DIFFERENCE;
    });
  });
  return lacking.length / cells.length;
}
