import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import type { Entry, SearchPage } from '../api/types.ts';
import { joinThread } from '../drafts/entry-requests.ts';
import { type HandOver, handOverProperty, toHandOvers } from './hand-over.ts';

/** Maximum number of hand-overs and acknowledgements that are read. */
const maxListed = 60;

export const handOversQuery = queryOptions({
  queryKey: ['hand-overs'],
  queryFn: async ({ signal }): Promise<HandOver[]> => {
    const query = { properties: handOverProperty, view: 'list', size: String(maxListed) };
    return toHandOvers(dataOf<SearchPage>(await api.GET('/logs/search', { params: { query }, signal })).logs);
  },
});

interface Acknowledgement {
  readonly handOver: HandOver;
  readonly userName: string;
  readonly title: string;
}

/** Records that the next shift has taken over. A repeated request is stored only once. */
export function useAcknowledge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ handOver, userName, title }: Acknowledgement) => {
      const answer = await api.PUT('/logs', {
        params: {
          query: { inReplyTo: String(handOver.entryId) },
          header: { 'idempotency-key': `taken-over-${handOver.entryId}` },
        },
        body: {
          title,
          source: title,
          logbooks: handOver.logbooks.map((name) => ({ name })),
          properties: [
            {
              name: handOverProperty,
              attributes: [
                { name: 'acknowledges', value: String(handOver.entryId) },
                { name: 'acknowledgedBy', value: userName },
              ],
            },
          ],
        },
      });
      await joinThread(handOver.entryId, dataOf<Entry>(answer).id);
    },
    onSettled: () => client.invalidateQueries({ queryKey: handOversQuery.queryKey }),
  });
}
