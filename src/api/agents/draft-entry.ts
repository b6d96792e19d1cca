import { randomUUID } from 'node:crypto';
import { draftLimits } from '../../drafts/draft.js';
import { entryLimits } from '../../entries/entry-draft.js';
import { Type } from '../../kernel/json-schema.js';
import type { ApiEntry } from './entry-answer.js';
import { type Tool, type ToolCall, ToolFailure } from './tool.js';

/** Number of drafts of a user at which agents can add no more. The other half of the limit is left to the user. */
const maxDrafts = draftLimits.drafts / 2;

/** The property that marks an entry drafted by an agent. The browser client does not let people remove it. */
const draftedByName = 'Drafted by';

const names = (description: string, maxItems: number) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: entryLimits.nameLength }), { description, maxItems }),
  );

interface DraftArgs {
  readonly title: string;
  readonly text: string;
  readonly level?: string;
  readonly logbooks?: readonly string[];
  readonly tags?: readonly string[];
  readonly replyTo?: number;
}

/** Stores a draft in the browser client's format; the user opens and submits it there. */
export const draftEntry: Tool = {
  name: 'draftEntry',
  title: 'Draft an entry',
  description:
    'Stores a draft for the owner of the token, and posts nothing. The owner opens it at “link”, changes it, and submits or discards it. Give the owner this link.',
  writes: true,
  inputSchema: Type.Object(
    {
      title: Type.String({ pattern: '\\S', maxLength: entryLimits.titleLength }),
      text: Type.String({ maxLength: 100_000, description: 'Text in CommonMark.' }),
      level: Type.Optional(
        Type.String({ maxLength: entryLimits.nameLength, description: 'Default: the default level of the service.' }),
      ),
      logbooks: names('Names of logbooks. The owner can choose others.', 100),
      tags: names('Names of tags.', 100),
      replyTo: Type.Optional(Type.Integer({ minimum: 0, description: 'Id of the entry that this one answers.' })),
    },
    { additionalProperties: false },
  ),
  run: async (call, args: DraftArgs) => {
    const purpose = args.replyTo === undefined ? { kind: 'new' } : await replyPurpose(call, args.replyTo);
    await requireRoom(call);
    const id = randomUUID();
    await call.ask({
      method: 'PUT',
      path: `/drafts/${id}`,
      headers: { 'if-none-match': '*' },
      json: {
        title: args.title,
        purpose,
        content: toContent(args, call.tokenName),
        revision: randomUUID(),
        modifiedMs: call.nowMs,
      },
    });
    return { draftId: id, link: call.link(`/write/${id}`), note: 'Nothing is posted until the owner submits it.' };
  },
};

function toContent({ title, text, level = '', logbooks = [], tags = [] }: DraftArgs, tokenName: string) {
  const properties = [{ name: draftedByName, attributes: [{ name: 'agent', value: tokenName }] }];
  return { title, text, level, logbooks, tags, properties, events: [], files: [] };
}

/** @throws ToolFailure when the entry does not exist, or the caller may not read it */
async function replyPurpose(call: ToolCall, id: number) {
  const { title } = (await call.ask({ method: 'GET', path: `/logs/${id}` })) as ApiEntry;
  return { kind: 'reply', to: id, title: title.startsWith('Re: ') ? title : `Re: ${title}` };
}

async function requireRoom(call: ToolCall): Promise<void> {
  const drafts = (await call.ask({ method: 'GET', path: '/drafts' })) as readonly unknown[];
  if (drafts.length < maxDrafts) return;
  throw new ToolFailure(
    'refused',
    'draft.too-many-drafts',
    `The owner of the token has ${drafts.length} drafts; agents may add one while there are fewer than ${maxDrafts}. Ask the owner to submit or discard some.`,
  );
}
