import { useEffect, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { formatTime } from '../components/format.ts';
import type { Light as LightState } from '../drafts/server-copy.ts';
import '../drafts/light.css';

/** Time after which a screen reader announces a state, so that it does not announce each pause in typing. */
const spokenAfterMs = 2_500;

const shapes = {
  none: '',
  both: '',
  here: 'here',
  offline: 'waits',
  signIn: 'here',
  refused: 'here',
  server: 'here',
  page: 'waits',
} as const;

/** Shows where the text is stored. */
export function Light({ light }: { readonly light: LightState }) {
  const { t } = useTranslation('write');
  const { kind, atMs, code } = light;
  // The server's message is for those who set its limits.
  const problem = code === 'request.too-large' ? t('problem.tooLarge') : light.problem;
  const spoken = useSpoken(kind);
  const values = { time: formatTime(atMs, true), problem };
  if (kind === 'none') return <span role="status" />;
  return (
    <span className={`light ${shapes[kind]}`} data-light={kind}>
      <span className="dot" />
      <span className="number cut" title={problem}>
        <Trans t={t} i18nKey={`light.${kind}`} values={values} components={[<b key="0" />]} />
      </span>
      <span role="status" className="visually-hidden">
        {spoken !== 'none' && spoken !== undefined && (
          <Trans t={t} i18nKey={`light.${spoken}`} values={{ time: '', problem }} components={[<b key="0" />]} />
        )}
      </span>
    </span>
  );
}

function useSpoken(kind: LightState['kind']): LightState['kind'] | undefined {
  const [spoken, setSpoken] = useState<LightState['kind']>();
  useEffect(() => {
    const timer = setTimeout(() => setSpoken(kind), spokenAfterMs);
    return () => clearTimeout(timer);
  }, [kind]);
  return spoken;
}
