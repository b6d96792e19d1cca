import { Type } from '../../kernel/json-schema.js';

const Ranges = (description: string) =>
  Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), { description, examples: [[[0, 6]]] });

/** Fields that the parameters of a view add to an entry. */
export const ViewedEntrySchema = Type.Object(
  {
    id: Type.Integer({ description: 'Id of the entry.', examples: [42] }),
    snippet: Type.Optional(
      Type.String({
        description:
          'With `view=list` or `highlight=true`: the description around the first match, or its beginning; plain text on one line, at most 300 characters, with `…` where it is cut.',
        examples: ['Quadrupole tripped at 03:12.'],
      }),
    ),
    highlights: Type.Optional(
      Type.Object(
        { title: Ranges('Matches in the title.'), snippet: Ranges('Matches in the snippet.') },
        {
          description:
            'With `highlight=true`: start and end of each match, in UTF-16 code units, the end not included; in order and without overlaps.',
        },
      ),
    ),
    thread: Type.Unsafe<object | null>({
      ...Type.Object({
        id: Type.String({ description: 'Id of the thread: the group of the entry.' }),
        size: Type.Integer({ description: 'Number of its entries; at least 2.' }),
        position: Type.Integer({ description: 'Position of the entry in the thread, by creation; 1 for the oldest.' }),
        lastDate: Type.Integer({
          description: 'Creation of its newest entry, in milliseconds since the epoch.',
        }),
        lastOwner: Type.String({ description: 'Owner of its newest entry.' }),
      }),
      type: ['object', 'null'],
      description:
        'The thread of the entry; null when it stands alone. Only entries that the reader may read are counted.',
    }),
  },
  {
    $id: 'ViewedEntry',
    description:
      'An entry with `view=list`, `highlight=true` or `group=thread`: these fields in addition to those of `Entry`, of which `view=list` leaves out `source` and `description`.',
  },
);
