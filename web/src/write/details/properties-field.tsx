import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { Menu } from '../../components/menu.tsx';
import { type DraftProperty, draftedByProperty } from '../../drafts/draft.ts';
import './properties-field.css';

export interface PropertyDefinition {
  readonly name: string;
  readonly attributes?: readonly { readonly name: string; readonly value?: string | null }[] | null | undefined;
}

interface PropertiesFieldProps {
  readonly properties: readonly DraftProperty[];
  readonly definitions: readonly PropertyDefinition[];
  readonly note?: string | undefined;
  readonly onChange: (properties: readonly DraftProperty[]) => void;
}

/** Properties and the values of their attributes. */
export function PropertiesField({ properties, definitions, note, onChange }: PropertiesFieldProps) {
  const { t } = useTranslation('write');
  const free = definitions.filter(({ name }) => !properties.some((one) => one.name === name));
  const add = ({ name, attributes }: PropertyDefinition) => {
    const values = (attributes ?? []).map((attribute) => ({ name: attribute.name, value: attribute.value ?? '' }));
    onChange([...properties, { name, attributes: values }]);
  };
  return (
    <div className="field">
      <div className="label">
        {t('properties')} {note !== undefined && properties.length > 0 && <span>{note}</span>}
      </div>
      {properties.map((property, at) => (
        <PropertyRows
          key={property.name}
          property={property}
          onChange={(changed) => onChange(properties.with(at, changed))}
          onRemove={() => onChange(properties.filter((one) => one !== property))}
        />
      ))}
      {free.length > 0 && (
        <Menu
          label={t('addProperty')}
          trigger={
            <button type="button" className="button ghost small add">
              <Icon of={Plus} />
              {t('addProperty')}
            </button>
          }
          items={free.map((definition) => ({ label: definition.name, onAction: () => add(definition) }))}
        />
      )}
    </div>
  );
}

interface PropertyRowsProps {
  readonly property: DraftProperty;
  readonly onChange: (property: DraftProperty) => void;
  readonly onRemove: () => void;
}

function PropertyRows({ property, onChange, onRemove }: PropertyRowsProps) {
  const { t } = useTranslation('write');
  const id = useId();
  const { name, attributes } = property;
  const isFixed = name === draftedByProperty;
  return (
    <fieldset className="property">
      <legend className="row">
        <span className="grow">{isFixed ? t('draftedBy') : name}</span>
      </legend>
      {!isFixed && <IconButton icon={X} small label={t('removeProperty', { name })} onClick={onRemove} />}
      {attributes.map((attribute, at) => (
        <div className="attribute" key={attribute.name}>
          <label htmlFor={`${id}-${at}`}>{attribute.name}</label>
          <input
            id={`${id}-${at}`}
            value={attribute.value}
            placeholder="–"
            readOnly={isFixed}
            onChange={({ target }) =>
              onChange({ name, attributes: attributes.with(at, { name: attribute.name, value: target.value }) })
            }
          />
        </div>
      ))}
    </fieldset>
  );
}
