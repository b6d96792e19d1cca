import { errorResponses, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import { filterParameters } from '../search/search.schema.js';

export const streamChangesSchema = {
  tags: ['Live'],
  operationId: 'streamChanges',
  summary: 'Stream changes as Server-Sent Events',
  description:
    'An endless stream with an event for each entry that is `created`, `edited` or `annotated` (it joined a group, received the values of its devices or the samples of a plot, or grew by a block), sent once the change can be read, in the order of the changes, including those with `notifyWsClients=false`. The `id` of an event is its position in the feed: a client that sends it in `Last-Event-ID` resumes there, however long ago that was, even if its access has been restricted since. For a reader who may not read all logbooks, the `id` is an opaque code, and `sequence` is null. The data is `{sequence, kind, entryId, version, date, entry}` with `entry` as it stands when the event is sent. Of successive annotations of an entry, only the last may be sent. With search parameters, only changes of matching entries are sent. An event `damaged` with `{sequence, kind}` stands for a change whose stored row is damaged, whatever entry it was about.',
  querystring: Type.Object({
    lastEventId: Type.Optional(
      Type.String({
        description:
          'Position after which the stream begins, unless the header is present; 0: at the first change. Default: at the next change.',
        examples: ['0'],
      }),
    ),
    ...filterParameters,
  }),
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String({ description: 'Position after which the stream begins; sent by browsers when they reconnect.' }),
    ),
  }),
  response: {
    200: {
      description: 'The events, and a comment every 15 s while there are none.',
      content: { 'text/event-stream': { schema: Type.String() } },
    },
    ...errorResponses(...readErrors),
  },
};
