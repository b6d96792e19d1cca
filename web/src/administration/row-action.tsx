import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { showToast } from '../toasts/toasts.ts';
import { showProblem } from './catalog-section.tsx';

interface RowActionProps {
  readonly label: string;
  /** The label with the item of the row, for screen readers. */
  readonly fullLabel: string;
  readonly run: () => Promise<unknown>;
  /** Message once it is done. */
  readonly done: string;
  /** Keys of the queries to read again, in order. */
  readonly renewed: readonly QueryKey[];
}

/** The button of a row, which ends what the row is about. */
export function RowAction({ label, fullLabel, run, done, renewed }: RowActionProps) {
  const client = useQueryClient();
  const running = useMutation({
    mutationFn: run,
    onSuccess: () => showToast(done),
    onError: showProblem,
    onSettled: async () => {
      for (const queryKey of renewed) await client.invalidateQueries({ queryKey });
    },
  });
  return (
    <button type="button" className="button small" aria-label={fullLabel} onClick={() => running.mutate()}>
      {label}
    </button>
  );
}
