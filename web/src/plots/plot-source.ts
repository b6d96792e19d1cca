/** A column of numbers that a plot can show. */
export interface PlotColumn {
  /** Undefined: it has none. */
  readonly name: string | undefined;
  readonly unit: string | undefined;
  /** Number of decimals of its values; default: unknown. */
  readonly precision?: number | null;
  /** Names of the values 0, 1 and so on; default: numbers. */
  readonly states?: readonly string[] | null;
}

/** The values along the horizontal axis, which never decrease. */
export interface PlotAxis extends PlotColumn {
  /** `time`: milliseconds since the epoch. `row`: numbers of rows, from 1 on. */
  readonly kind: 'number' | 'time' | 'row';
  readonly from: number;
  readonly to: number;
  /** Start of a logarithmic axis; undefined: it has no value above zero. */
  readonly positiveFrom: number | undefined;
}

/** The part of the horizontal axis that a plot shows. */
export interface PlotRange {
  readonly from: number;
  readonly to: number;
}

export interface PlotView extends PlotRange {
  /** Width of the plot in pixels. */
  readonly width: number;
  readonly isLogX: boolean;
  /** Positions of the columns that are shown. */
  readonly columns: readonly number[];
}

/** Points of a view, with one list of values for each of its columns; null: a gap. */
export interface PlotPoints {
  readonly x: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
}

export interface PlotRows {
  readonly header: readonly PlotColumn[];
  readonly count: number;
  /** Returns the texts of rows from a position on. */
  readonly read: (from: number, count: number) => Promise<readonly (readonly string[])[]>;
}

/** A value at which an alarm or a warning begins. */
export interface PlotLimit {
  readonly name: string;
  readonly value: number;
  readonly isAlarm: boolean;
}

/** Source of the series of a plot, which requests no more points than it can draw. */
export interface PlotSource {
  readonly axis: PlotAxis;
  /** Empty when only the table can show the values. */
  readonly columns: readonly PlotColumn[];
  /** Places on the horizontal axis that a line marks. */
  readonly marks?: readonly number[];
  /** Values that a line across the plot marks. */
  readonly limits?: readonly PlotLimit[];
  /** Names of the values 0, 1 and so on, which the vertical axis shows; undefined: numbers. */
  readonly states?: readonly string[];
  readonly points: (view: PlotView) => Promise<PlotPoints>;
  /** The series as a table. */
  readonly rows: PlotRows;
}
