import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { focusOrContent, isFocusFree } from '../app/page-focus.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';

interface RowActionProps {
  readonly label: string;
  /** The label with the item of the row, for screen readers. */
  readonly fullLabel: string;
  readonly run: () => Promise<unknown>;
  /** Message that is shown after success. */
  readonly done: string;
  /** Keys of the queries to read again after success, in order. */
  readonly renewed: readonly QueryKey[];
}

/** A button that removes or ends the item of its row. Afterwards, the next row has the focus. */
export function RowAction({ label, fullLabel, run, done, renewed }: RowActionProps) {
  const client = useQueryClient();
  const running = useMutation({
    mutationFn: run,
    onSuccess: () => showToast(done),
    onError: showProblem,
  });
  const end = async (button: HTMLElement) => {
    const rows = button.closest('tbody')?.rows;
    const at = [...(rows ?? [])].findIndex((row) => row.contains(button));
    await running.mutateAsync().catch(() => undefined);
    for (const queryKey of renewed) await client.invalidateQueries({ queryKey });
    await untilRemoved(button);
    if (isFocusFree()) focusOrContent(rows?.[Math.min(at, rows.length - 1)]?.querySelector('button') ?? null);
  };
  return (
    <button
      type="button"
      className="button small danger"
      aria-label={fullLabel}
      onClick={({ currentTarget }) => void end(currentTarget)}
    >
      {label}
    </button>
  );
}

/** Waits at most 30 frames for the row to disappear: a row whose removal failed stays. */
async function untilRemoved(element: HTMLElement): Promise<void> {
  for (let frame = 0; element.isConnected && frame < 30; frame++) await new Promise(requestAnimationFrame);
}
