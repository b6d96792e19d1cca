import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ArchiverAppliance } from '../../packages/control-system/archiver-appliance.js';
import { pointsOf } from '../../packages/control-system/curve-points.js';
import { historySuite } from '../contract/history.suite.js';
import { ArchiverServer } from '../fixtures/archiver-server.js';

const options = { caCertificates: undefined, timeoutMs: 1_000 };
const { signal } = new AbortController();

describe('Archiver Appliance', () => {
  historySuite(async () => {
    const server = await ArchiverServer.start();
    const source = new ArchiverAppliance({ ...options, url: `${server.url}/` });
    return {
      source,
      add: (name, units, ...samples) =>
        server.add(name, { EGU: units }, ...samples.map(({ atMs, value }) => ({ atMs, val: String(value) }))),
      async destroy() {
        source.close();
        await server.stop();
      },
    };
  });
});

describe('what the archiver sends', () => {
  let server: ArchiverServer;
  let source: ArchiverAppliance;
  beforeEach(async () => {
    server = await ArchiverServer.start();
    source = new ArchiverAppliance({ ...options, url: server.url });
  });
  afterEach(async () => {
    source.close();
    await server.stop();
  });
  const atMs = 1_764_104_400_000;

  test.each([
    ['NaN', { value: Number.NaN }],
    ['-Infinity', { value: Number.NEGATIVE_INFINITY }],
    ['"a NaN: \\" Infinity"', { value: 'a NaN: " Infinity' }],
    ['[1,NaN]', { value: [1, Number.NaN] }],
    ['{"a":1}', { missing: 'the archiver sent a value of an unknown kind' }],
    [
      '{"alarm":{"severity":2},"value":-9007199254740993}',
      { value: -9_007_199_254_740_992, exact: ['-9007199254740993'] },
    ],
    ['{"value":[1,9007199254740993]}', { exact: ['1', '9007199254740993'] }],
    ['{"value":true}', { value: 'true' }],
    ['{"value":[1,null]}', { value: [1, Number.NaN] }],
    ['{"value":null}', { value: Number.NaN }],
    ['[NaN,NaN]', { value: [Number.NaN, Number.NaN] }],
    ['{"digits":"abc","value":1}', { value: 1 }],
    ['{"value":{"column":[1]}}', { missing: 'the archiver sent a value of an unknown kind' }],
    ['null', { value: Number.NaN }],
    ['[1,null]', { value: [1, Number.NaN] }],
    ['["a","b, c"]', { value: '[a, b, c]' }],
  ])('the value %s', async (val, expected) => {
    server.add('one', { EGU: ' mA', PREC: '2' }, { atMs, val, severity: 2 });
    const units = 'value' in expected ? { units: 'mA', precision: 2, severity: 'MAJOR' } : {};
    expect((await source.readAt(['one'], atMs, signal)).get('one')).toMatchObject({ ...expected, ...units });
  });

  test('a paused device, of which the archiver sends no metadata, has its values', async () => {
    server.add('SR:I', { EGU: 'mA' }, { atMs, val: '400' });
    server.paused.add('SR:I');
    expect((await source.readAt(['SR:I'], atMs, signal)).get('SR:I')).toMatchObject({ value: 400, units: undefined });
    const range = { startMs: atMs - 1_000, endMs: atMs + 1_000, points: 10 };
    expect(await source.readRange('SR:I', range, signal)).toMatchObject({ samples: [{ value: 400 }], problems: [] });
    expect(source.state.failure).toBeUndefined();
  });

  test('a device has its values under its other names, too', async () => {
    server.add('SR:I', { EGU: 'mA', PREC: '2', DBRType: 'DBR_SCALAR_DOUBLE' }, { atMs, val: '400' });
    server.aliases.set('BEAM:CURRENT', 'SR:I');
    const names = ['BEAM:CURRENT', 'SR:I.VAL', 'BEAM:CURRENT.VAL', 'SR:I'];
    const readings = await source.readAt([...names, 'SR:I.HIHI', 'unknown'], atMs, signal);
    const range = { startMs: atMs - 1_000, endMs: atMs + 1_000, points: 10 };
    for (const name of names) {
      expect([name, readings.get(name)]).toMatchObject([name, { value: 400, units: 'mA', precision: 2 }]);
      const curve = await source.readRange(name, range, signal);
      expect([name, curve]).toMatchObject([name, { units: 'mA', samples: [{ value: 400 }], problems: [] }]);
    }
    for (const name of ['SR:I.HIHI', 'unknown']) expect(readings.get(name)).toHaveProperty('missing');
    expect((await source.readAt(['BEAM:CURRENT'], atMs, signal)).get('BEAM:CURRENT')).toMatchObject({ value: 400 });
  });

  test('a device of another archiver, of which there are no metadata, has its values', async () => {
    const range = { startMs: atMs, endMs: atMs + 60_000, points: 100 };
    server.external.add('other').add('text');
    server.add('other', {}, { atMs, val: '7' });
    server.add('text', {}, { atMs, val: '"Beam"' });
    expect((await source.readAt(['other'], atMs, signal)).get('other')).toMatchObject({ value: 7 });
    expect(await source.readRange('other', range, signal)).toMatchObject({ samples: [{ value: 7 }], problems: [] });
    const curve = await source.readRange('text', range, signal);
    expect(curve).toMatchObject({ kind: 'text', samples: [{ text: 'Beam' }], problems: [] });
  });

  test.each([
    ['1', { value: 'Open', index: 1 }],
    ['2', { value: 2, index: 2 }],
  ])('the value %s of an enumeration is its state, if it has a name', async (val, expected) => {
    server.add('SR:V1', { DBRType: 'DBR_SCALAR_ENUM', ENUM_0: 'Closed', ENUM_1: 'Open', PREC: '' }, { atMs, val });
    const reading = (await source.readAt(['SR:V1'], atMs, signal)).get('SR:V1');
    expect(reading).toMatchObject({ ...expected, precision: undefined });
  });

  test('a setting that has not changed for a year has its value', async () => {
    server.add('SR:Q1:SP', { EGU: 'A' }, { atMs: atMs - 390 * 86_400_000, val: '92.5' });
    const reading = (await source.readAt(['SR:Q1:SP'], atMs, signal)).get('SR:Q1:SP');
    expect(reading).toMatchObject({ value: 92.5, atMs: atMs - 390 * 86_400_000 });
  });

  test('a time in 1970 is reported as wrong', async () => {
    server.add('one', {}, { atMs: 0, val: '1' });
    expect((await source.readAt(['one'], 1_000, signal)).get('one')).toEqual({
      missing: 'its time in the archiver is wrong',
    });
  });

  test('a value of several megabytes does not prevent reading the others', async () => {
    server.add('small', {}, { atMs, val: '1' });
    server.add('large', {}, { atMs, val: JSON.stringify(Array(300_000).fill(0.25)) });
    const readings = await source.readAt(['small', 'large', 'unknown'], atMs, signal);
    expect(readings.get('small')).toMatchObject({ value: 1 });
    expect(readings.get('large')).toEqual({ missing: 'its value is too large' });
    expect(readings.get('unknown')).toEqual({ missing: 'the archiver has no value of it' });
  });

  const range = { startMs: atMs, endMs: atMs + 60_000, points: 100 };
  const curveOf = async (metadata: Record<string, string>, ...vals: string[]) => {
    server.add('a{%}:b', metadata, ...vals.map((val, at) => ({ atMs: atMs + at, val })));
    return source.readRange('a{%}:b', range, signal);
  };

  test.each([
    ['NaN', {}, { kind: 'number', samples: [{ value: null }] }],
    [
      '[1,0.5,0,2,7]',
      {},
      {
        isBinned: true,
        samples: [{ value: 1, min: 0, max: 2 }, { value: 1 }, { at: atMs + 60_000, value: 1 }],
      },
    ],
    ['[NaN,NaN,NaN,NaN,0]', {}, { isBinned: false, samples: [{ value: null }] }],
    [
      '[1,2,3,4,5]',
      { DBRType: 'DBR_WAVEFORM_DOUBLE' },
      { kind: 'array', samples: [{ text: '[1, 2, 3, …] (5 values)' }] },
    ],
    [
      '1',
      { DBRType: 'DBR_SCALAR_ENUM', ENUM_0: 'Off', ENUM_1: 'On' },
      { kind: 'enum', states: ['Off', 'On'], samples: [{ value: 1, text: 'On' }] },
    ],
    ['"Beam"', { DBRType: 'DBR_SCALAR_STRING' }, { kind: 'text', samples: [{ value: null, text: 'Beam' }] }],
    ['"12"', {}, { kind: 'text', samples: [{ value: null, text: '12' }] }],
    ['{"a":1}', {}, { samples: [], problems: [{ code: 'unreadable' }] }],
    ['{"value":12}', { DBRType: 'DBR_V4_GENERIC_BYTES' }, { kind: 'number', samples: [{ value: 12 }] }],
    ['{"value":[1,2,3,4,5]}', { DBRType: 'DBR_V4_GENERIC_BYTES' }, { kind: 'array', isBinned: false }],
    ['{"value":true}', { DBRType: 'DBR_V4_GENERIC_BYTES' }, { kind: 'text', samples: [{ text: 'true' }] }],
  ])('the value %s in a curve', async (val, metadata, expected) => {
    expect(await curveOf(metadata, val)).toMatchObject(expected);
  });

  test('structures, which the archiver cannot bin, are requested as they are', async () => {
    await curveOf({ DBRType: 'DBR_V4_GENERIC_BYTES' }, '{"value":12}');
    expect(server.ranges.map((query) => query.get('pv'))).toEqual(['a{%}:b']);
  });

  test('units and states are short, whatever is sent', async () => {
    const long = 'x'.repeat(100_000);
    const curve = await curveOf({ EGU: `m\nA${long}`, ENUM_0: long, DBRType: 'DBR_SCALAR_ENUM' }, '0', '1');
    expect(curve.units).toMatch(/^m Ax{37}…$/);
    expect(curve.states?.[0]).toMatch(/^x{100}…$/);
    expect(curve.samples[0]?.text).toBe(curve.states?.[0]);
    expect((await source.readAt(['a{%}:b'], atMs, signal)).get('a{%}:b')).toMatchObject({ units: curve.units });
  });

  const hourMs = 3_600_000;

  test.each([
    [hourMs, 2_000],
    [hourMs, 800],
    [33 * 60_000, 1_000],
    [60 * hourMs, 300],
  ])('short trips within %i ms are in a curve of %i points, of which none is omitted', async (lengthMs, points) => {
    const stepMs = lengthMs / 36_000;
    const trips = [0, 7_919, 15_838, 23_757, 35_999];
    const samples = Array.from({ length: 36_001 }, (_, at) => ({
      atMs: atMs + Math.round(at * stepMs) + 500,
      val: trips.includes(at) ? '0' : '400',
      severity: trips.includes(at) ? 2 : 0,
    }));
    server.add('beam', { EGU: 'mA' }, { atMs: atMs - hourMs, val: '400' }, ...samples);
    const curve = await source.readRange('beam', { startMs: atMs, endMs: atMs + lengthMs + 500, points }, signal);
    expect(curve).toMatchObject({ isBinned: true, isCut: false });
    expect(curve.samples.length).toBeLessThanOrEqual(points);
    expect(curve.samples.length).toBeGreaterThan(points / 2);
    const tripped = curve.samples.filter(({ min }) => min === 0);
    expect(tripped).toHaveLength(trips.length);
    for (const { value, max, severity } of tripped) {
      expect([max, severity]).toEqual([400, 'MAJOR']);
      expect(value).toBeGreaterThan(0);
    }
    expect(curve.samples.every(({ at }, index, { [index - 1]: before }) => !before || at > before.at)).toBe(true);
    expect(curve.samples.at(-1)?.at).toBeLessThanOrEqual(atMs + lengthMs + 500);
  });

  test('too many structures, which the archiver cannot bin, are means with their extremes', async () => {
    const samples = Array.from({ length: 5_000 }, (_, at) => ({
      atMs: atMs + at * 12,
      val: at === 2_500 ? '{"value":NaN}' : `{"value":${at === 3_919 ? -1 : 5}}`,
    }));
    server.add('counter', { DBRType: 'DBR_V4_GENERIC_BYTES' }, ...samples);
    const curve = await source.readRange('counter', range, signal);
    expect(curve).toMatchObject({ kind: 'number', isBinned: true, isCut: false });
    expect(curve.samples.length).toBeLessThanOrEqual(100);
    expect(curve.samples.filter(({ min, max }) => min === -1 && max === 5)).toHaveLength(1);
    expect(curve.samples.every(({ value }) => value !== null && value > 4)).toBe(true);
  });

  test('a million samples, of which the archiver makes no bins, are thinned', async () => {
    const samples = Array.from({ length: 20_000 }, (_, at) => ({ atMs: atMs + at * 3, val: `"${at}"` }));
    server.add('long', { DBRType: 'DBR_SCALAR_STRING' }, ...samples);
    const curve = await source.readRange('long', range, signal);
    expect(curve.isCut).toBe(true);
    expect(curve.samples.length).toBeGreaterThan(30);
    expect(curve.samples.length).toBeLessThanOrEqual(100);
  });

  test('bins that are too large are thinned, and the samples, which are more, are not requested', async () => {
    const points = 12_000;
    const samples = Array.from({ length: 3 * points }, (_, at) => ({ atMs: atMs + at * 333, val: String(at % 7) }));
    server.add('many', {}, ...samples);
    const curve = await source.readRange('many', { startMs: atMs, endMs: atMs + points * 1_000, points }, signal);
    expect(curve).toMatchObject({ kind: 'number', isCut: true, problems: [] });
    const asked = server.ranges.map((query) => query.get('pv'));
    expect(asked.slice(0, 2)).toEqual([`optimizedSample_${points}(many)`, 'firstSample_1(many)']);
    expect(asked).not.toContain('many');
  });

  test('times without a connection are gaps, also when it is still lost', async () => {
    const seconds = (at: number) => String(atMs / 1_000 + at);
    const fields = { cnxlostepsecs: seconds(10), cnxregainedepsecs: seconds(20) };
    const samples = [
      { atMs: atMs + 1_000, val: '1' },
      { atMs: atMs + 20_000, val: '2', fields },
    ];
    server.add('gaps', { cnxlostepsecs: seconds(50) }, ...samples);
    expect((await source.readRange('gaps', range, signal)).gaps).toEqual([
      { start: atMs + 10_000, end: atMs + 20_000 },
      { start: atMs + 50_000, end: range.endMs },
    ]);
  });

  /** Samples at 5 Hz between moments in minutes. */
  const fast = (fromMin: number, toMin: number, val = '400') =>
    Array.from({ length: (toMin - fromMin) * 300 }, (_, at) => ({ atMs: atMs + fromMin * 60_000 + at * 200, val }));
  const minute = (at: number) => atMs + at * 60_000;
  const hour = { startMs: atMs, endMs: atMs + hourMs };

  test.each([
    ['a lost connection', 2_000, { cnxlostepsecs: String(minute(10) / 1_000) }],
    ['a restart of the archiver', 2_000, { cnxlostepsecs: '0', startup: 'true' }],
    ['a restart of the archiver', 30, { cnxlostepsecs: '0', startup: 'true' }],
  ])('%s is a gap in a curve of bins, at most %i of them', async (_, points, fields) => {
    const [first, ...rest] = fast(50, 60);
    const regained = { ...fields, cnxregainedepsecs: String(minute(50) / 1_000) };
    server.add('lost', {}, ...fast(0, 10), { ...first, fields: regained } as never, ...rest);
    const curve = await source.readRange('lost', { ...hour, points }, signal);
    const widthMs = hourMs / points + 1_000;
    expect(curve).toMatchObject({ isBinned: true, isCut: false, gaps: [{}], problems: [] });
    const [gap] = curve.gaps;
    expect(Math.abs((gap?.start ?? 0) - minute(10))).toBeLessThanOrEqual(widthMs);
    expect(Math.abs((gap?.end ?? 0) - minute(50))).toBeLessThanOrEqual(widthMs);
    expect(curve.samples.filter(({ at }) => at > minute(10) + widthMs && at < minute(50) - widthMs)).toEqual([]);
    expect(curve.samples.filter(({ at }) => at > minute(50) - widthMs).length).toBeGreaterThan(4);
  });

  test.each([2_000, 60, 30])(
    'no line crosses a lost connection, wherever it begins in one of %i bins',
    async (points) => {
      const range = { ...hour, points };
      for (const [lost, regained] of [
        [607, 3_000],
        [607, 3_055],
        [655, 3_055],
        [655, 3_000],
      ] as const) {
        const gap = { start: atMs + lost * 1_000, end: atMs + regained * 1_000 };
        const fields = { cnxlostepsecs: String(gap.start / 1_000), cnxregainedepsecs: String(gap.end / 1_000) };
        const [first, ...rest] = fast(regained / 60, 60);
        server.add('crossed', {}, ...fast(0, lost / 60), { ...first, fields } as never, ...rest);
        const curve = {
          ...(await source.readRange('crossed', range, signal)),
          name: '',
          start: atMs,
          end: range.endMs,
        };
        expect([curve.isBinned, curve.gaps]).toEqual([true, [gap]]);
        const { x, values } = pointsOf(curve, { from: atMs, to: range.endMs, columns: [0] });
        const isDrawn = (at: number) => typeof values[0]?.[at] === 'number';
        const longest = x.map((end, at) => (isDrawn(at) && isDrawn(at - 1) ? end - (x[at - 1] ?? end) : 0));
        expect(Math.max(...longest)).toBeLessThan(4 * (hourMs / points) + 2_000);
        expect(curve.samples.every(({ at }, index, { [index - 1]: before }) => !before || at >= before.at)).toBe(true);
      }
    },
  );

  test('a value that stays the same is a line in a curve of bins, also to its end', async () => {
    server.add('still', {}, ...fast(0, 10), ...fast(40, 45, '12'));
    const { samples, gaps, isBinned } = await source.readRange('still', { ...hour, points: 2_000 }, signal);
    expect([isBinned, gaps]).toEqual([true, []]);
    const valueAt = (at: number) => samples.findLast((one) => one.at <= at)?.value;
    expect([minute(20), minute(39.9), minute(41), minute(60)].map(valueAt)).toEqual([400, 400, 12, 12]);
    // A mean is one point, and lines connect the points.
    expect(samples.findLast(({ at }) => at < minute(40))?.at).toBeGreaterThan(minute(39.9));
    expect(samples.at(-1)?.at).toBe(hour.endMs);
    expect(samples.length).toBeLessThan(1_000);
  });

  test.each([[2_000], [60], [30], [7]])(
    'a value that a device keeps after a change within a bin is the last one, in at most %i bins',
    async (points) => {
      // The beam is lost within a bin, and then nothing changes.
      const lost = { atMs: minute(10) + 450, val: '0', severity: 2 };
      server.add('dumped', {}, ...fast(0, 10), { atMs: minute(10) + 200, val: '400' }, lost, ...fast(50, 55, '8'));
      const { samples, isBinned } = await source.readRange('dumped', { ...hour, points }, signal);
      expect(isBinned).toBe(true);
      expect(samples.length).toBeLessThanOrEqual(points);
      const widthMs = hourMs / points;
      const held = samples.filter(({ at }) => at > minute(10) + widthMs && at < minute(50) - widthMs);
      expect(held.length).toBeGreaterThan(0);
      for (const { value, min, max } of held) expect([value, min ?? 0, max ?? 0]).toEqual([0, 0, 0]);
      const valueAt = (at: number) => samples.findLast((one) => one.at <= at)?.value;
      expect(valueAt(minute(30))).toBe(0);
      expect(valueAt(hour.endMs)).toBe(8);
      expect(samples.every(({ at }, index, { [index - 1]: before }) => !before || at > before.at)).toBe(true);
    },
  );

  test.each([
    [
      'a number after a trip',
      [
        ['0', 2],
        ['400', 0],
      ],
      { value: 400, severity: 'NONE' },
    ],
    [
      'no number',
      [
        ['400', 0],
        ['NaN', 0],
      ],
      { value: null, severity: 'NONE' },
    ],
    [
      'a number again',
      [
        ['NaN', 3],
        ['400', 1],
      ],
      { value: 400, severity: 'MINOR' },
    ],
  ] as const)('a device keeps %s with its own severity, not the worst one of the bin', async (_, vals, kept) => {
    const after = vals.map(([val, severity], at) => ({ atMs: minute(10) + 200 * (at + 1), val, severity }));
    server.add('normal', {}, ...fast(0, 10), { atMs: minute(10), val: '400' }, ...after, ...fast(50, 55));
    for (const points of [1_000, 60, 30]) {
      const { samples } = await source.readRange('normal', { ...hour, points }, signal);
      const widthMs = hourMs / points;
      const held = samples.filter(({ at }) => at > minute(10) + widthMs && at < minute(50) - widthMs);
      expect(held.length).toBeGreaterThan(0);
      for (const one of held) expect(one).toEqual({ at: one.at, ...kept });
    }
  });

  test('the value before a curve of bins has its severity', async () => {
    server.add('bad', {}, { atMs: minute(-30), val: '7', severity: 2 }, ...fast(30, 40));
    const { isBinned, samples } = await source.readRange('bad', { ...hour, points: 60 }, signal);
    expect(isBinned).toBe(true);
    const early = samples.filter(({ at }) => at < minute(29));
    expect(early.length).toBeGreaterThan(0);
    for (const one of early) expect(one).toMatchObject({ value: 7, severity: 'MAJOR' });
  });

  test('in a short range, too, the value that a device keeps is the last one', async () => {
    const samples = [...fast(0, 1), { atMs: minute(1) + 300, val: '0' }];
    server.add('short', {}, ...samples);
    const short = { startMs: atMs, endMs: minute(2), points: 200 };
    const curve = await source.readRange('short', short, signal);
    expect([curve.isBinned, curve.samples.at(-1)]).toEqual([
      true,
      expect.objectContaining({ at: minute(2), value: 0 }),
    ]);
    // Fewer samples than wanted are sent as they are.
    const whole = await source.readRange('short', { ...short, points: 2_000 }, signal);
    expect([whole.isBinned, whole.samples.length]).toEqual([false, samples.length]);
  });

  test.each([/^$/, /^(firstSample)?$/, /^(optimized)?$/])(
    'an archiver that knows only the operators %s sends a curve',
    async (operators) => {
      server.operators = operators;
      server.add('plain', {}, ...fast(0, 10));
      const { samples, kind, problems } = await source.readRange('plain', { ...hour, points: 200 }, signal);
      expect([kind, problems]).toEqual(['number', []]);
      expect(samples.length).toBeGreaterThan(20);
    },
  );

  test.each([[2_000], [30]])(
    'of a value that stays the same, only the loss is a gap, in at most %i bins',
    async (points) => {
      const seconds = (at: number) => String(minute(at) / 1_000);
      const fields = { cnxlostepsecs: seconds(39), cnxregainedepsecs: seconds(40) };
      const [first, ...rest] = fast(40, 60);
      server.add('rare', {}, ...fast(0, 10), { ...first, fields } as never, ...rest);
      const { gaps, isBinned, samples } = await source.readRange('rare', { ...hour, points }, signal);
      expect([isBinned, gaps]).toEqual([true, [{ start: minute(39), end: minute(40) }]]);
      expect(samples.findLast(({ at }) => at <= minute(39))?.at).toBe(minute(39));
      expect(server.ranges.map((query) => query.get('pv'))).toEqual([
        `optimizedSample_${points}(rare)`,
        'rare',
        expect.stringMatching(/^lastSample_\d+\(rare\)$/),
      ]);
    },
  );

  test('the samples of many reconnections are not requested', async () => {
    const seconds = (at: number) => String(minute(at) / 1_000);
    const samples = Array.from({ length: 10 }, (_, at) => {
      const fields = { cnxlostepsecs: seconds(at * 6), cnxregainedepsecs: seconds(at * 6 + 1) };
      const [first, ...rest] = fast(at * 6 + 1, at * 6 + 2);
      return [{ ...first, fields } as never, ...rest];
    });
    server.add('often', {}, ...samples.flat());
    const { gaps } = await source.readRange('often', { ...hour, points: 500 }, signal);
    expect(gaps.length).toBeGreaterThanOrEqual(9);
    expect(server.ranges).toHaveLength(7);
  });

  test('a value that stays the same until the connection is lost ends there', async () => {
    server.add('ends', { cnxlostepsecs: String(minute(30) / 1_000) }, ...fast(0, 10));
    const { samples, gaps } = await source.readRange('ends', { ...hour, points: 2_000 }, signal);
    expect(gaps).toEqual([{ start: minute(30), end: hour.endMs }]);
    expect(samples.at(-1)).toMatchObject({ at: minute(30), value: 400 });
  });

  test.each([2_000, 30])(
    'a loss that ended after the range is a gap to its end, in at most %i bins',
    async (points) => {
      const fields = { cnxlostepsecs: String(minute(30) / 1_000), cnxregainedepsecs: String(minute(90) / 1_000) };
      server.add('lost', {}, ...fast(0, 10), { atMs: minute(90), val: '400', fields }, ...fast(100, 101));
      server.add(
        'rare',
        { DBRType: 'DBR_SCALAR_STRING' },
        { atMs: minute(2), val: '"on"' },
        { atMs: minute(90), val: '"on"', fields },
      );
      for (const name of ['lost', 'rare']) {
        const { gaps, samples } = await source.readRange(name, { ...hour, points }, signal);
        expect(gaps).toEqual([{ start: minute(30), end: hour.endMs }]);
        expect(samples.at(-1)?.at).toBeLessThanOrEqual(minute(30));
      }
      server.add('kept', {}, ...fast(0, 10), ...fast(90, 91));
      const { gaps, samples } = await source.readRange('kept', { ...hour, points }, signal);
      expect([gaps, samples.at(-1)?.at]).toEqual([[], hour.endMs]);
    },
  );

  test('a restart of the archiver is a gap from the sample before, unless its value is older', async () => {
    const startup = (at: number) => ({
      ...{ cnxlostepsecs: '0', cnxregainedepsecs: String(minute(at) / 1_000) },
      startup: 'true',
    });
    server.add('restarted', {}, { atMs: minute(10), val: '1' }, { atMs: minute(20), val: '2', fields: startup(20) });
    const setting = { atMs: minute(12), val: '2', fields: startup(30) };
    server.add('setting', {}, { atMs: minute(10), val: '1' }, setting);
    const gapsOf = async (name: string) => (await source.readRange(name, { ...hour, points: 100 }, signal)).gaps;
    expect(await gapsOf('restarted')).toEqual([{ start: minute(10), end: minute(20) }]);
    expect(await gapsOf('setting')).toEqual([]);
  });

  test('a curve that the archiver cuts off is stated, and other devices are still read', async () => {
    expect(await curveOf({}, '1')).toMatchObject({ samples: [{ value: 1 }] });
    server.answer = (response) => response.end('[{"meta":{},"data":[{"secs":17641');
    expect(await source.readRange('a{%}:b', range, signal)).toMatchObject({
      samples: [],
      problems: [{ code: 'unreadable' }],
    });
    server.answer = undefined;
    expect((await source.readAt(['a{%}:b'], atMs, signal)).get('a{%}:b')).toMatchObject({ value: 1 });
  });

  test.each<[string, ArchiverServer['answer'], string]>([
    ['an answer that is cut off', (response) => response.end('{"one":{"secs":17641'), 'a complete answer'],
    ['a page', (response) => response.end('<html>'), 'a complete answer'],
    ['a list', (response) => response.end('[]'), 'a complete answer'],
    ['an error', (response) => response.writeHead(500).end('x'), 'status 500'],
    ['nothing', () => undefined, 'no answer within 1 s'],
    ['the end of the connection', (response) => response.destroy(), 'the connection failed'],
  ])('%s is a failure of the source', async (_, answer, reason) => {
    server.answer = answer;
    const failed = expect.objectContaining({ name: 'SourceUnavailable', message: expect.stringContaining(reason) });
    await expect(source.readAt(['one'], atMs, signal)).rejects.toEqual(failed);
    expect(source.state.failure).toContain(reason);
    // The source is not asked again for a moment.
    await expect(source.readAt(['one'], atMs, signal)).rejects.toEqual(failed);
  });
});
