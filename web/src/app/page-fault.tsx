import { useRouter } from '@tanstack/react-router';
import { Problem } from '../components/problem.tsx';
import { TypedWords } from '../keys/typed-words.tsx';
import { tryAgain } from './load-fault.ts';

/** Replaces a page that failed. */
export function PageFault({ error }: { readonly error: unknown }) {
  const router = useRouter();
  const retry = () => void router.invalidate();
  return (
    <main>
      <Problem error={error} retry={() => void tryAgain(error, retry)} />
      <TypedWords isOfEntry />
    </main>
  );
}
