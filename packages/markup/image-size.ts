/** One size in the braces after an image; `name` is `width` or `height`. */
const part = String.raw`\s*(?:width|height)\s*[=:]\s*(?:"[\w.,%+\- ]{0,20}"|'[\w.,%+\- ]{0,20}'|[\w.%+\-]{0,20})\s*[,;]?`;
const size = new RegExp(String.raw`\{:?(?:${part}){1,4}\s*\}`, 'iy');
const parts = /(width|height)\s*[=:]\s*["']?\s*(\d*\.?\d+)\s*(%|[a-z]*)/gi;

/** Pixels of a unit of length at the size of common text; of those of a window, per cent. */
const pixels: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
};
const percents: ReadonlySet<string> = new Set(['%', 'vw', 'vh']);
const maxPixels = 10_000;

/**
 * Reads the size after an image, such as `{width=640 height=480}` or `{width="50%"}`. Returns its HTML attributes, without
 * values that are no size; undefined if there is none.
 */
export function readImageSize(
  source: string,
  start: number,
): { readonly end: number; readonly attributes: readonly (readonly [name: string, value: string])[] } | undefined {
  if (source[start] !== '{') return undefined;
  size.lastIndex = start;
  const [whole] = size.exec(source) ?? [];
  if (whole === undefined) return undefined;
  const attributes = [...whole.matchAll(parts)].flatMap(([, name = '', value = '', unit = '']) => {
    const shown = shownSize(Number(value), unit.toLowerCase());
    return shown === undefined ? [] : [[name.toLowerCase(), shown] as const];
  });
  return { end: start + whole.length, attributes };
}

function shownSize(value: number, unit: string): string | undefined {
  if (percents.has(unit)) return `${Math.min(value, 100)}%`;
  const factor = pixels[unit];
  return factor === undefined ? undefined : String(Math.min(Math.round(value * factor * 100) / 100, maxPixels));
}
