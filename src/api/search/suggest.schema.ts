import { errorResponses, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import { suggestKeys, suggestLimits } from '../../search/suggestions.js';
import { searchTags, text } from './search.schema.js';

export const suggestSchema = {
  tags: searchTags,
  operationId: 'suggest',
  summary: 'Suggest values and words',
  description: 'Values that begin with a prefix, most frequent first. Only entries that the reader may read count.',
  querystring: Type.Object({
    key: Type.String({
      description: `What to suggest: ${suggestKeys.join(', ')}. \`title\` and \`text\`: words of the title and of the description.`,
      examples: ['tag'],
    }),
    q: text(
      'The beginning of the value; for a property, of `name`, `name.attribute` or `name.attribute.value`. In a text of several words, only the last word counts.',
      'al',
    ),
    size: text(`Maximum number of values; default ${suggestLimits.defaultSize}, at most ${suggestLimits.size}.`, '10'),
  }),
  response: {
    200: Type.Array(
      Type.Object({
        value: Type.String({ examples: ['alarm'] }),
        count: Type.Integer({ description: 'The number of entries with it.', examples: [42] }),
      }),
      { description: 'The values, most frequent first.' },
    ),
    ...errorResponses(...readErrors),
  },
};
