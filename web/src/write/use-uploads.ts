import { useEffect } from 'react';
import type { Draft } from '../drafts/draft.ts';
import { addedFiles, readUploads, uploadFiles } from '../drafts/draft-files.ts';
import type { Light } from '../drafts/server-copy.ts';

const retryMs = 5_000;

/**
 * Sends the files while the text is written, as soon as the server has the draft. Returns a function that tries again
 * immediately.
 */
export function useUploads(draft: Draft, light: Light): () => void {
  const userName = draft.server?.userName;
  const isThere = userName !== undefined && light.kind !== 'signIn' && light.kind !== 'offline';
  const ids = addedFiles(draft)
    .map(({ id }) => id)
    .join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the files are those of the ids
  useEffect(() => {
    if (!isThere || ids === '') return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const run = () =>
      void uploadFiles(draft, userName).catch(() => {
        const isFinal = ids.split(',').some((id) => readUploads().get(id)?.problem !== undefined);
        if (!isGone && !isFinal) timer = setTimeout(run, retryMs);
      });
    run();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [isThere, ids, draft.id]);
  return () => {
    if (userName !== undefined) void uploadFiles(draft, userName).catch(() => {});
  };
}
