import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import type { components } from '../api/schema.ts';
import { serverNow } from '../api/server-clock.ts';
import { copyText } from '../components/copy-text.ts';
import { formatDay } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { useUserOfPage } from '../session/me.ts';
import type { AdministrationSearch } from './administration-search.ts';
import { RowAction } from './row-action.tsx';
import { SectionFrame } from './section-frame.tsx';
import { SideForm, TextField, textOf, useCloseForm } from './side-form.tsx';

type Token = components['schemas']['Token'];
type Right = components['schemas']['TokenInput']['rights'][number];

const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }): Promise<Token[]> => dataOf(await api.GET('/tokens', { signal })),
  staleTime: 0,
});

/** The tokens with which programs of the user sign in. */
export function TokensSection() {
  const { t } = useTranslation('administration');
  const { new: isNew } = useSearch({ strict: false }) as AdministrationSearch;
  const query = useQuery(tokensQuery);
  const tokens = query.data ?? [];
  const [created, setCreated] = useState<Token>();
  return (
    <SectionFrame
      title={t('sections.tokens')}
      summary={query.data && t('tokens', { count: tokens.length })}
      newLabel={t('new.tokens')}
      hint={t('hints.tokens')}
      error={query.error}
      retry={() => void query.refetch()}
      aside={isNew && <TokenForm onCreated={setCreated} />}
    >
      {created?.token !== undefined && <Secret token={created} onDone={() => setCreated(undefined)} />}
      {tokens.length > 0 && <TokenTable tokens={tokens} />}
    </SectionFrame>
  );
}

/** The secret of a new token. The service shows it only once. */
function Secret({ token, onDone }: { readonly token: Token; readonly onDone: () => void }) {
  const { t } = useTranslation('administration');
  return (
    <section className="secret" aria-labelledby="secret-title">
      <h2 id="secret-title">{t('secretTitle', { name: token.name })}</h2>
      <p className="muted">{t('secretText')}</p>
      <div className="row">
        <input className="input device" readOnly aria-label={t('secret')} value={token.token} onFocus={selectAll} />
        <button type="button" className="button primary" onClick={() => void copyText(token.token ?? '')}>
          <Icon of={Copy} />
          {t('copy')}
        </button>
        <button type="button" className="button ghost" onClick={onDone}>
          {t('done')}
        </button>
      </div>
    </section>
  );
}

const selectAll = (event: React.FocusEvent<HTMLInputElement>) => event.target.select();

function TokenTable({ tokens }: { readonly tokens: readonly Token[] }) {
  const { t } = useTranslation('administration');
  const nowMs = serverNow();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on narrow screens
    <section className="scroll-box" aria-label={t('sections.tokens')} tabIndex={0}>
      <table className="items">
        <thead>
          <tr>
            <th>{t('name')}</th>
            <th>{t('may')}</th>
            <th>{t('created')}</th>
            <th>{t('expires')}</th>
            <th>
              <span className="visually-hidden">{t('actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td>
                <b dir="auto">{token.name}</b> {token.isAutomatic && <span className="chip">{t('program')}</span>}
              </td>
              <td>{[t('rights.read'), ...token.rights.map((right) => t(`rights.${right as Right}`))].join(', ')}</td>
              <td className="number">{formatDay(token.createdDate)}</td>
              <td className="number">{token.expiresDate < nowMs ? t('expired') : formatDay(token.expiresDate)}</td>
              <td className="right">
                <RevokeToken token={token} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function RevokeToken({ token }: { readonly token: Token }) {
  const { t } = useTranslation('administration');
  return (
    <RowAction
      label={t('revoke')}
      fullLabel={t('revokeToken', { name: token.name })}
      run={() => api.DELETE('/tokens/{id}', { params: { path: { id: token.id } } })}
      done={t('tokenRevoked', { name: token.name })}
      renewed={[tokensQuery.queryKey]}
    />
  );
}

function TokenForm({ onCreated }: { readonly onCreated: (token: Token) => void }) {
  const { t } = useTranslation('administration');
  const client = useQueryClient();
  const close = useCloseForm();
  const rights = (useUserOfPage()?.permissions ?? []) as readonly Right[];
  const create = async (form: FormData) => {
    const body = {
      name: textOf(form, 'name'),
      rights: form.getAll('rights').map((right) => String(right) as Right),
      days: Number(form.get('days')),
      isAutomatic: form.has('isAutomatic'),
    };
    onCreated(dataOf<Token>(await api.POST('/tokens', { body })));
    await client.invalidateQueries({ queryKey: tokensQuery.queryKey });
    close();
  };
  return (
    <SideForm title={t('new.tokens')} onSave={create} saveLabel={t('createToken')}>
      <TextField name="name" label={t('name')} isRequired maxLength={200} hint={t('tokenNameHint')} />
      <fieldset className="names">
        <legend className="label">{t('mayBesideReading')}</legend>
        {rights.map((right) => (
          <label className="check" key={right}>
            <input type="checkbox" name="rights" value={right} />
            <span>{t(`rights.${right}`)}</span>
          </label>
        ))}
      </fieldset>
      <label className="check">
        <input type="checkbox" name="isAutomatic" />
        <span>{t('isAutomatic')}</span>
      </label>
      <label className="field">
        <span className="label">{t('days')}</span>
        <input className="input" type="number" name="days" min={1} max={366} defaultValue={90} required />
      </label>
    </SideForm>
  );
}
