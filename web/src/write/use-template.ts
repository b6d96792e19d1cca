import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import { queryClient } from '../api/query-client.ts';
import type { DraftContent } from '../drafts/draft.ts';
import { contentOf } from '../drafts/entry-requests.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';

interface TemplateName {
  readonly id: string;
  readonly name: string;
}

/** Returns a function that reads a template and passes it on. */
export function useTemplate(
  onChoose: (template: DraftContent, name: string) => void,
): (template: TemplateName) => Promise<void> {
  const { t } = useTranslation('write');
  return async ({ id, name }) => {
    try {
      onChoose(await fetchTemplate(id), name);
      showToast(t('templateFilled', { name }));
    } catch (error) {
      showProblem(error);
    }
  };
}

/** @throws ApiError */
export async function fetchTemplate(id: string): Promise<DraftContent> {
  const template = await queryClient.fetchQuery({
    queryKey: ['templates', id],
    queryFn: async () =>
      dataOf<object>(await api.GET('/templates/{logTemplateId}', { params: { path: { logTemplateId: id } } })),
  });
  return toContent(template);
}

function toContent(template: object): DraftContent {
  const empty = {
    title: '',
    source: '',
    level: '',
    logbooks: [],
    tags: [],
    properties: [],
    events: [],
    attachments: [],
  };
  return contentOf({ ...empty, ...template } as unknown as Parameters<typeof contentOf>[0]);
}
