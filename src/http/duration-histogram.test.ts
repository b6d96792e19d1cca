import fc from 'fast-check';
import { Histogram, type Metric, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { DurationHistogram } from './duration-histogram.js';

test('whatever is recorded, a scrape has the same text as with a histogram of the library', async () => {
  const described = { name: 'a_seconds', help: 'A "quoted" help.', buckets: [0.001, 0.01, 2.5] };
  const duration = fc.oneof(fc.constantFrom(0, 1, 10, 2_500, 2_500.1), fc.double({ min: 0, max: 5_000, noNaN: true }));
  const recorded = fc.record({
    route: fc.constantFrom('/a', '/b "x"\\\n'),
    status: fc.constantFrom(200, 404),
    duration,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(recorded), async (requests) => {
      const registry = new Registry();
      const ours = new DurationHistogram(described);
      registry.registerMetric(ours as unknown as Metric);
      const expected = new Registry();
      const reference = new Histogram({ ...described, labelNames: ['route', 'status'], registers: [expected] });
      for (const { route, status, duration: ms } of requests) {
        const labels = { route, status: String(status) };
        ours.record(`${status} ${route}`, ms, () => labels);
        reference.observe(labels, ms / 1_000);
      }
      expect(await registry.metrics()).toBe(await expected.metrics());
    }),
  );
});
