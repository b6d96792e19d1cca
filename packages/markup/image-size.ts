const quotedValue = String.raw`"[\w.,%+\-:; ]{0,60}"|'[\w.,%+\-:; ]{0,60}'`;
const bareValue = String.raw`[\w.%+\-]{0,20}(?:,\d[\w%]{0,9})?(?:[ \t]{1,3}(?:%|[a-z]{2,3}\b(?!\s*[=:])))?`;
/** A size in the braces after an image, or another value that programs write there: a class, a name or a style. */
const part = String.raw`\s*(?:[#.][a-z][\w-]{0,40}|(?:(?:max-)?(?:width|height)|style)\s*[=:]\s*(?:${quotedValue}|${bareValue}))\s*[,;]?`;
const size = new RegExp(String.raw`\{:?(?=[^{}]{0,200}(?:width|height)\s*[=:])(?:${part}){1,6}\s*\}`, 'iy');
const parts = /(width|height)\s*[=:]\s*["']?\s*(\d*[.,]?\d+)\s*(%|[a-z]{1,4}\b)?(?=["'\s,;}])/gi;

/** Pixels per unit of length, at a font size of 16 px. */
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
 * Reads the size after an image, such as `{width=640 height=480}` or `{width="50%"}`, at the position `start`. Returns
 * its end and its HTML attributes, without values that are not sizes; undefined if there is none.
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
    const shown = shownSize(Number(value.replace(',', '.')), unit.toLowerCase());
    return shown === undefined ? [] : [[name.toLowerCase(), shown] as const];
  });
  return { end: start + whole.length, attributes };
}

function shownSize(value: number, unit: string): string | undefined {
  if (percents.has(unit)) return `${Math.min(value, 100)}%`;
  const factor = pixels[unit];
  return factor === undefined ? undefined : String(Math.min(Math.round(value * factor * 100) / 100, maxPixels));
}
