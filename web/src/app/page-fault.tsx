import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Problem } from '../components/problem.tsx';
import { dropKeys } from '../keys/held-keys.ts';

/** Replaces a page that failed. */
export function PageFault({ error }: { readonly error: unknown }) {
  const router = useRouter();
  // No field will come.
  useEffect(dropKeys, []);
  return (
    <main>
      <Problem error={error} retry={() => void router.invalidate()} />
    </main>
  );
}
