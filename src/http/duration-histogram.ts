type Labels = Readonly<Record<string, string>>;

interface Options {
  readonly name: string;
  readonly help: string;
  /** Upper bounds of the buckets, in seconds, ascending. */
  readonly buckets: readonly number[];
}

interface Series {
  readonly labels: Labels;
  /** Number of durations in each bucket, and last the number above all buckets. */
  readonly counts: number[];
  sum: number;
}

/**
 * Histogram of durations. Its series are plain numbers, summed and formatted only when they are requested, because each
 * request records several durations.
 */
export class DurationHistogram {
  readonly type = 'histogram';
  readonly name: string;
  private readonly series = new Map<string, Series>();

  constructor(private readonly options: Options) {
    this.name = options.name;
  }

  /**
   * Records a duration.
   * @param key identifies the series
   * @param labelsOf returns the labels of a series that is not known yet
   */
  record(key: string, ms: number, labelsOf: () => Labels): void {
    const { buckets } = this.options;
    let series = this.series.get(key);
    if (!series) {
      series = { labels: labelsOf(), counts: Array<number>(buckets.length + 1).fill(0), sum: 0 };
      this.series.set(key, series);
    }
    const seconds = ms / 1_000;
    let at = 0;
    while (at < buckets.length && seconds > (buckets[at] ?? 0)) at += 1;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += seconds;
  }

  /** Returns the values in the form of the registry. */
  async get() {
    const { name, help } = this.options;
    const values = [...this.series.values()].flatMap((series) => this.valuesOf(series));
    return { name, help, type: this.type, values, aggregator: 'sum' };
  }

  private valuesOf({ labels: sharedLabels, counts, sum }: Series) {
    const { name, buckets } = this.options;
    let count = 0;
    const bucketValues = counts.map((inBucket, at) => {
      count += inBucket;
      return { labels: { le: buckets[at] ?? '+Inf' }, value: count, metricName: `${name}_bucket`, sharedLabels };
    });
    return [
      ...bucketValues,
      { labels: {}, value: sum, metricName: `${name}_sum`, sharedLabels },
      { labels: {}, value: count, metricName: `${name}_count`, sharedLabels },
    ];
  }
}
