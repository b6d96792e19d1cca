import { useRouter } from '@tanstack/react-router';
import { Problem } from '../components/problem.tsx';

/** Replaces a page that failed. */
export function PageFault({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <main>
      <Problem error={error} retry={() => void router.invalidate()} />
    </main>
  );
}
