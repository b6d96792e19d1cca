import type { DeviceAlarms, DeviceDetails, DeviceHistory } from '../../../packages/control-system/device-view.js';
import { errorResponses, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';

/** Limits of the histories of devices. */
export const historyLimits = {
  points: 2_000,
  defaultPoints: 1_000,
  defaultRangeMs: 3_600_000,
  /** The end of the year 2199. */
  maxMs: 7_258_118_399_999,
} as const;

export const deviceTags = ['Devices'];
const device = 'SR:C03-MG:G02A{Quad:1}I';

const params = Type.Object({
  name: Type.String({ description: 'Name of the device, percent-encoded in the path.', examples: [device] }),
});

export const OrNull = (type: 'integer' | 'number' | 'string', options: object) =>
  Type.Unsafe<unknown>({ type: [type, 'null'], ...options });

export const AtSchema = Type.Integer({ description: 'Milliseconds since the epoch.', examples: [1_764_104_400_500] });
export const SeveritySchema = Type.Unsafe<string>({
  type: 'string',
  enum: ['NONE', 'MINOR', 'MAJOR', 'INVALID', 'UNDEFINED'],
  description: 'Alarm severity; `NONE`: no alarm.',
});
export const KindSchema = Type.Unsafe<string>({
  type: 'string',
  enum: ['number', 'enum', 'text', 'array'],
  description: 'Kind of the value. An enumeration has the index of a state as its number.',
});
const limit = (description: string, example: number) => OrNull('number', { description, examples: [example] });

const describing = {
  units: OrNull('string', { description: 'Units; null: none or unknown.', examples: ['mA'] }),
  precision: OrNull('integer', { description: 'Number of decimals to show; null: unknown.', examples: [2] }),
  states: Type.Unsafe<unknown>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Names of the states of an enumeration, by their index; null: not an enumeration, or unknown.',
    examples: [['Closed', 'Open']],
  }),
  limits: Type.Object(
    {
      displayLow: limit('Lower end of the usual axis.', 0),
      displayHigh: limit('Upper end of the usual axis.', 500),
      alarmLow: limit('Below: major alarm.', 1),
      warningLow: limit('Below: minor alarm.', 10),
      warningHigh: limit('Above: minor alarm.', 450),
      alarmHigh: limit('Above: major alarm.', 490),
    },
    { description: 'Limits of the device; null: none or unknown.' },
  ),
};

export const ProblemSchema = Type.Object({
  source: Type.Unsafe<string>({
    type: 'string',
    enum: ['live', 'history', 'directory', 'alarms', 'snapshots'],
    description: 'The source that lacks something.',
  }),
  code: Type.Unsafe<string>({
    type: 'string',
    enum: ['unknown', 'empty', 'unavailable', 'unreadable'],
    description:
      '`unknown`: the source does not have the device; `empty`: it has no value of the device for this time; `unavailable`: it does not answer, ask again later; `unreadable`: it sent something that is not a value.',
  }),
  reason: Type.String({ description: 'Part of a sentence in English.', examples: ['no answer within 10 s'] }),
});

const CurrentSchema = Type.Object({
  kind: KindSchema,
  value: OrNull('number', { description: 'The number; null: none, or not finite.', examples: [401.23] }),
  text: Type.String({ description: 'The value with its units as people read it.', examples: ['401.2 mA'] }),
  severity: SeveritySchema,
  at: AtSchema,
  ...describing,
});

const ChannelSchema = Type.Object({
  owner: Type.String({ examples: ['recceiver'] }),
  properties: Type.Array(
    Type.Object({ name: Type.String({ examples: ['iocName'] }), value: Type.String({ examples: ['SR-MG-IOC3'] }) }),
  ),
  tags: Type.Array(Type.String({ examples: ['archived'] })),
});

const AlarmSchema = Type.Object({
  at: OrNull('integer', { description: 'Milliseconds since the epoch; null: unknown.', examples: [1_764_104_400_500] }),
  severity: Type.String({
    description: 'Severity of the alarm, which stays until it is acknowledged.',
    examples: ['MAJOR'],
  }),
  message: Type.String({ examples: ['HIHI_ALARM'] }),
  currentSeverity: Type.String({ description: 'Severity of the value.', examples: ['NONE'] }),
  value: Type.String({ examples: ['3e-6'] }),
});

const SnapshotSchema = Type.Object({
  id: Type.String({ examples: ['8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1'] }),
  name: Type.String({ examples: ['Before shutdown'] }),
  at: AtSchema,
  value: Type.String({ description: 'The saved value.', examples: ['401.2 mA'] }),
});

export const maybe = (schema: object, description: string) =>
  Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }], description });

const DeviceSchema = Type.Object(
  {
    name: Type.String({ examples: [device] }),
    sources: Type.Array(Type.String({ examples: ['live'] }), {
      description: 'The configured sources: live, history, directory, alarms, snapshots.',
    }),
    current: maybe(CurrentSchema, 'The value now; null: no source, or see `problems`.'),
    channel: maybe(ChannelSchema, 'The entry of the directory; null: no source, or see `problems`.'),
    neighbours: Type.Array(Type.String({ examples: ['SR:C03-MG:G02A{Quad:1}T'] }), {
      description: 'Names with the same prefix from the directory, at most 50.',
    }),
    alarms: Type.Array(AlarmSchema, { description: 'The latest alarms, newest first, at most 20.' }),
    areAlarmsCut: Type.Boolean({ description: 'Whether earlier alarms are left out.' }),
    snapshots: Type.Array(SnapshotSchema, { description: 'Saved values, newest first, at most 10.' }),
    areSnapshotsCut: Type.Boolean({ description: 'Whether there may be more saved values, including newer ones.' }),
    problems: Type.Array(ProblemSchema, { description: 'The missing data and the reason.' }),
  } satisfies Record<keyof DeviceDetails, object>,
  { description: 'A device as the sources of the control system know it. Contains nothing from entries.' },
);

const HistorySchema = Type.Object(
  {
    name: Type.String({ examples: [device] }),
    start: AtSchema,
    end: AtSchema,
    kind: KindSchema,
    isBinned: Type.Boolean({
      description: 'Whether each sample is the mean of an interval; `min` and `max` are its extremes.',
    }),
    isCut: Type.Boolean({ description: 'Whether samples at the end are left out: there are more than `points`.' }),
    ...describing,
    samples: Type.Array(
      Type.Object({
        at: AtSchema,
        value: OrNull('number', {
          description: 'The number, or the index of a state; null: not a finite number, draw a gap.',
          examples: [401.23],
        }),
        severity: SeveritySchema,
        min: Type.Optional(Type.Number({ examples: [400.9] })),
        max: Type.Optional(Type.Number({ examples: [401.6] })),
        text: Type.Optional(Type.String({ description: 'The value of text and arrays as people read it.' })),
      }),
      {
        description:
          'Oldest first. A value is valid until the next one. The first one may be before `start`: it is the value at `start`.',
      },
    ),
    gaps: Type.Array(Type.Object({ start: AtSchema, end: AtSchema }), {
      description: 'Times in which the device was not connected to the archiver.',
    }),
    problems: Type.Array(ProblemSchema, { description: 'The missing data and the reason.' }),
  } satisfies Record<keyof DeviceHistory, object>,
  { description: 'Values of a device over time. Contains nothing from entries.' },
);

const AlarmsSchema = Type.Object(
  {
    name: Type.String({ examples: [device] }),
    start: AtSchema,
    end: AtSchema,
    alarms: Type.Array(AlarmSchema, { description: 'Newest first, at most 100.' }),
    isCut: Type.Boolean({ description: 'Whether earlier alarms of this time are left out.' }),
    problems: Type.Array(ProblemSchema, { description: 'The missing data and the reason.' }),
  } satisfies Record<keyof DeviceAlarms, object>,
  { description: 'Alarms of a device in a time. Contains nothing from entries.' },
);

const rangeParams = {
  start: Type.Optional(
    Type.String({
      description: 'Start, as in searches; default one hour before `end`.',
      examples: ['1764100800000'],
    }),
  ),
  end: Type.Optional(Type.String({ description: 'End, as in searches; default now.', examples: ['1764104400000'] })),
};

export const getDeviceSchema = {
  tags: deviceTags,
  operationId: 'getDevice',
  summary: 'Get a device',
  description:
    'Returns the value now, the entry of the directory, neighbours, alarms and saved values, as far as sources are configured. 404 `device.no-source` without any source, `device.not-found` for a name that does not match `deviceNames`.',
  params,
  response: { 200: DeviceSchema, ...errorResponses(...readErrors, 404) },
};

export const getDeviceHistorySchema = {
  tags: deviceTags,
  operationId: 'getDeviceHistory',
  summary: 'Get the values of a device over time',
  description:
    'From the archiver, in at most `points` samples. 404 `device.no-history` without an archiver, `device.not-found` for a name that does not match `deviceNames`. A range without values is not an error: see `problems`.',
  params,
  querystring: Type.Object({
    ...rangeParams,
    points: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: historyLimits.points,
        default: historyLimits.defaultPoints,
        description: 'Maximum number of samples. If there are more, they are binned.',
      }),
    ),
  }),
  response: { 200: HistorySchema, ...errorResponses(...readErrors, 404) },
};

export const getDeviceAlarmsSchema = {
  tags: deviceTags,
  operationId: 'getDeviceAlarms',
  summary: 'Get the alarms of a device in a time',
  description:
    'From the alarm logger. 404 `device.no-alarms` without one, `device.not-found` for a name that does not match `deviceNames`.',
  params,
  querystring: Type.Object(rangeParams),
  response: { 200: AlarmsSchema, ...errorResponses(...readErrors, 404) },
};
