import i18next from 'i18next';
import { queryClient } from '../api/query-client.ts';
import { type DraftContent, emptyContent } from '../drafts/draft.ts';
import { bootstrapQuery } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import { fetchTemplate } from './use-template.ts';

/** Content of a new entry in an address, such as `/new?title=Trip&logbook=operations`. */
export interface Prefill {
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  /** Names separated by commas. */
  readonly logbook?: string | undefined;
  /** Name of a template. */
  readonly template?: string | undefined;
  /** Address that another program shares; it goes to the end of the text. */
  readonly url?: string | undefined;
}

/** Maximum lengths of what an address fills in, in UTF-16 code units. */
const maxLengths = { title: 1_000, text: 10_000, logbook: 1_000, template: 500, url: 4_000 } as const;

/** Reads the content from the parameters of an address; joins the values of a repeated parameter. */
export function prefillOf(search: Readonly<Record<string, unknown>>): Prefill {
  const read = (key: keyof typeof maxLengths) => {
    const text = [search[key]]
      .flat()
      .filter((value) => typeof value === 'string')
      .join(key === 'logbook' ? ',' : ' ')
      .slice(0, maxLengths[key]);
    return text.trim() === '' ? undefined : text;
  };
  return {
    title: read('title'),
    text: read('text'),
    logbook: read('logbook'),
    template: read('template'),
    url: read('url'),
  };
}

/** Returns the content of the address, without that of a template. */
export function prefilledContent({ title = '', text = '', logbook = '', url }: Prefill): DraftContent {
  const logbooks = logbook
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    ...emptyContent,
    title: title.replace(/\s+/g, ' ').trim(),
    text: [text, url].filter((part) => part !== undefined && part !== '').join('\n\n'),
    logbooks: [...new Set(logbooks)],
  };
}

/** Returns the template with that name. Says so if there is none, or if it cannot be read now. */
export async function findTemplate(
  name: string,
): Promise<{ readonly name: string; readonly content: DraftContent } | undefined> {
  try {
    const { templates } = await queryClient.ensureQueryData(bootstrapQuery);
    const found = templates.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
    if (found) return { name: found.name, content: await fetchTemplate(found.id) };
    showToast(i18next.t('noTemplate', { ns: 'write', name }), { tone: 'problem' });
  } catch (error) {
    showProblem(error);
  }
  return undefined;
}
