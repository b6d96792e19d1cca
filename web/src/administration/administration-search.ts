import type { UrlSearch } from '../app/url-search.ts';

/** Parameters of the URL: the open item, and the filters of the audit log. */
export interface AdministrationSearch {
  /** Name or id of the open item. */
  readonly item?: string;
  /** Whether the form for a new item is open. */
  readonly new?: 'yes';
  readonly user?: string;
  readonly action?: string;
  readonly outcome?: 'done' | 'refused' | 'failed';
}

const outcomes = ['done', 'refused', 'failed'] as const;

export function administrationSearch(search: UrlSearch | Readonly<Record<string, unknown>>): AdministrationSearch {
  const text = (key: string) => {
    const value = search[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [item, user, action] = [text('item'), text('user'), text('action')];
  const outcome = outcomes.find((one) => one === text('outcome'));
  return {
    ...(item !== undefined && { item }),
    ...(text('new') !== undefined && { new: 'yes' as const }),
    ...(user !== undefined && { user }),
    ...(action !== undefined && { action }),
    ...(outcome !== undefined && { outcome }),
  };
}
