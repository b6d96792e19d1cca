import type { SnapshotComparison, SnapshotRow } from '../../../packages/control-system/device-view.js';
import { errorResponses, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import { AtSchema, deviceTags, KindSchema, maybe, OrNull, ProblemSchema, SeveritySchema } from './device.schema.js';

const snapshotId = '8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1';

const ComparedSchema = Type.Object({
  kind: KindSchema,
  value: OrNull('number', { description: 'The number; null: none, or not finite.', examples: [401.23] }),
  text: Type.String({ description: 'The value with its units as people read it.', examples: ['401.2 mA'] }),
  severity: SeveritySchema,
  at: AtSchema,
});

const problems = Type.Array(ProblemSchema, { description: 'The missing data and the reason.' });

const RowSchema = Type.Object({
  name: Type.String({ examples: ['SR:C03-MG:G02A{Quad:1}I'] }),
  saved: maybe(ComparedSchema, 'The saved value; null: see `problems`.'),
  current: maybe(ComparedSchema, 'The value now; null: no source, or see `problems`.'),
  isDifferent: Type.Unsafe<unknown>({
    type: ['boolean', 'null'],
    description: 'Whether the values differ by more than a millionth, or in their units; null: one of them is missing.',
  }),
  difference: OrNull('number', {
    description: 'The value now minus the saved one; null: equal, not numbers, or in other units.',
    examples: [-0.5],
  }),
  problems,
} satisfies Record<keyof SnapshotRow, object>);

const SnapshotSchema = Type.Object(
  {
    id: Type.String({ examples: [snapshotId] }),
    rows: Type.Array(RowSchema, { description: 'At most 200 devices, in the order of the snapshot.' }),
    total: Type.Integer({ description: 'Number of devices that match `deviceNames`.', examples: [12] }),
    excluded: Type.Integer({ description: 'Number of devices that do not, and are left out.', examples: [0] }),
    problems,
  } satisfies Record<keyof SnapshotComparison, object>,
  { description: 'Saved values, and the values of the same devices now.' },
);

export const getSnapshotSchema = {
  tags: deviceTags,
  operationId: 'getSnapshot',
  summary: 'Compare a snapshot with the values now',
  description:
    'The snapshot must be named by a property `resource` of the entry, whose `file` is `file:/{snapshotId}?app=saveandrestore`. 404 `device.no-snapshot` for any other, `device.no-save-and-restore` when it is not configured.',
  params: Type.Object({
    logId: Type.String({ description: 'Id of the entry.', examples: ['42'] }),
    snapshotId: Type.String({ description: 'Id of the snapshot.', examples: [snapshotId] }),
  }),
  querystring: Type.Object({
    from: Type.Optional(
      Type.Integer({ description: 'Number of devices before the first row.', minimum: 0, default: 0 }),
    ),
  }),
  response: { 200: SnapshotSchema, ...errorResponses(...readErrors, 404) },
};
