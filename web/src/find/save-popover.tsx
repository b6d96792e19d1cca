import { type ReactElement, useState } from 'react';
import { Dialog, DialogTrigger, Popover, Pressable } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { api } from '../api/api.ts';
import { problemText } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { showToast } from '../toasts/toasts.ts';
import type { FindSearch } from './find-search.ts';
import { storedQuery } from './saved-searches.tsx';
import type { SearchControlProps } from './search-control-props.ts';
import './search-popover.css';

interface SavePopoverProps extends Pick<SearchControlProps, 'search'> {
  readonly trigger: ReactElement;
}

/** The form of `SaveSearch`, which loads it. */
export function SavePopover({ search, trigger }: SavePopoverProps) {
  const { t } = useTranslation('find');
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Pressable>{trigger as React.ComponentProps<typeof Pressable>['children']}</Pressable>
      <Popover className="popover" placement="bottom end" offset={8}>
        <Dialog className="save-search" data-modal="true" aria-label={t('saveSearch')}>
          <SaveForm search={search} onDone={() => setOpen(false)} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function SaveForm({ search, onDone }: { readonly search: FindSearch; readonly onDone: () => void }) {
  const { t } = useTranslation('find');
  const [problem, setProblem] = useState<string>();
  const save = async (form: FormData) => {
    const name = String(form.get('name')).trim();
    const body = { name, query: storedQuery(search), shared: form.get('shared') !== null };
    try {
      await api.POST('/me/searches', { body });
      await queryClient.invalidateQueries({ queryKey: ['saved-searches'] });
      showToast(t('searchSaved', { name }));
      onDone();
    } catch (error) {
      setProblem(problemText(error));
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      <label className="field">
        <span className="label">{t('searchName')}</span>
        {/* biome-ignore lint/a11y/noAutofocus: the dialog is opened to type here */}
        <input className="input" name="name" required maxLength={100} autoFocus />
      </label>
      <label className="row field">
        <input type="checkbox" name="shared" />
        {t('shareSearch')}
      </label>
      {problem !== undefined && (
        <p className="hint bad" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="button primary">
        {t('save')}
      </button>
    </form>
  );
}
