import { ChevronDown } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Bootstrap } from '../api/types.ts';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import type { DraftContent, DraftProperty } from '../drafts/draft.ts';
import { useTemplate } from './use-template.ts';

interface TemplatePickerProps {
  readonly bootstrap: Bootstrap | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (template: DraftContent, name: string) => void;
}

/** Fills empty fields from a template; typed text stays. */
export function TemplatePicker({ bootstrap, chosen, onChoose }: TemplatePickerProps) {
  const { t } = useTranslation('write');
  const choose = useTemplate(onChoose);
  const templates = bootstrap?.templates ?? [];
  if (templates.length === 0) return null;
  return (
    <Menu
      label={t('template')}
      trigger={
        <button type="button" className="button small template">
          <span className="cut">{chosen === undefined ? t('template') : t('templateNamed', { name: chosen })}</span>
          <Icon of={ChevronDown} />
        </button>
      }
      items={templates.map((template) => ({ label: template.name, onAction: () => void choose(template) }))}
    />
  );
}

/**
 * Returns the changes by which a template fills a draft: it fills empty fields, adds names and properties, and replaces
 * nothing.
 */
export function fillFrom(content: DraftContent, template: DraftContent): Partial<DraftContent> {
  const union = (own: readonly string[], others: readonly string[]) => [...new Set([...own, ...others])];
  return {
    title: content.title.trim() === '' ? template.title : content.title,
    text: content.text.trim() === '' ? template.text : content.text,
    level: content.level === '' ? template.level : content.level,
    logbooks: union(content.logbooks, template.logbooks),
    tags: union(content.tags, template.tags),
    properties: mergeProperties(content.properties, template.properties),
  };
}

function mergeProperties(own: readonly DraftProperty[], others: readonly DraftProperty[]): DraftProperty[] {
  const merged = own.map((property) => {
    const other = others.find(({ name }) => name === property.name);
    const attributes = property.attributes.map((attribute) =>
      attribute.value === '' ? (other?.attributes.find(({ name }) => name === attribute.name) ?? attribute) : attribute,
    );
    return { ...property, attributes };
  });
  return [...merged, ...others.filter(({ name }) => !own.some((property) => property.name === name))];
}
