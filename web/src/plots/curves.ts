import type { PlotColumn } from './plot-source.ts';

/** Number of colours: more curves could not be told apart. */
export const maxCurves = 6;

/** Positions of the shown columns, each at the index of its colour; undefined: the colour is free. */
export type Curves = readonly (number | undefined)[];

/** Returns the curves that share the unit of the first column. */
export function firstCurves(columns: readonly PlotColumn[]): Curves {
  const alike = columns.flatMap(({ unit }, at) => (unit === columns[0]?.unit ? [at] : []));
  return Array.from({ length: maxCurves }, (_, at) => alike[at]);
}

/** Shows a column, or hides it. A third unit takes the axis of the second. */
export function toggleCurve(curves: Curves, column: number, columns: readonly PlotColumn[]): Curves {
  if (curves.includes(column)) return curves.map((one) => (one === column ? undefined : one));
  const [left, right] = unitsOf(curves, columns);
  const { unit } = columns[column] ?? {};
  const isThird = right !== undefined && unit !== left?.unit && unit !== right.unit;
  const kept = curves.map((one) =>
    isThird && one !== undefined && columns[one]?.unit === right.unit ? undefined : one,
  );
  const free = kept.indexOf(undefined);
  return kept.map((one, at) => (at === free ? column : one));
}

/** The units of the shown curves: that of the left axis, and that of the right one if there is one. */
export function unitsOf(curves: Curves, columns: readonly PlotColumn[]): { readonly unit: string | undefined }[] {
  const units = new Set(curves.flatMap((one) => (one === undefined ? [] : [columns[one]?.unit])));
  return [...units].map((unit) => ({ unit }));
}
