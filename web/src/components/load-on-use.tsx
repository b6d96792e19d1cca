import { type ComponentType, lazy, type ReactElement, Suspense, useState } from 'react';

interface LazyProps {
  /** The button that opens it, as it looks before anything is loaded. */
  readonly trigger: ReactElement<React.ButtonHTMLAttributes<HTMLButtonElement>>;
}

/**
 * Makes a component that is loaded when its button is first used: menus and dialogs with all their code are not needed
 * for the first page. The loaded component shows the same button, and opens immediately.
 */
export function loadOnUse<Props extends object>(
  load: () => Promise<ComponentType<Props & LazyProps & { readonly defaultOpen: boolean }>>,
): ComponentType<Props & LazyProps> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return function LoadOnUse(props: Props & LazyProps) {
    const [isUsed, use] = useState(false);
    const { trigger } = props;
    const plain = (
      <trigger.type
        {...trigger.props}
        aria-haspopup="true"
        aria-expanded={false}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => use(true)}
      />
    );
    if (!isUsed) return plain;
    return (
      <Suspense fallback={plain}>
        <Loaded {...props} defaultOpen />
      </Suspense>
    );
  };
}
