import {
  type ComponentType,
  cloneElement,
  lazy,
  type ReactElement,
  type Ref,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { loadOnce } from '../app/load-once.ts';
import { giveKeysWithin, holdKeys } from '../keys/held-keys.ts';
import { useTypedFor } from '../keys/use-typed-for.ts';
import { LatePart } from './late-part.tsx';

interface LazyProps {
  /** The button that opens it, as it looks before anything is loaded. */
  readonly trigger: ReactElement<React.ButtonHTMLAttributes<HTMLButtonElement> & { ref?: Ref<HTMLButtonElement> }>;
  /** Name under which `holdKeys` keeps what is typed for the field of the component; undefined: it has no field. */
  readonly typedFor?: string;
}

/**
 * Makes a component that is loaded when its button is first used, because the first page does not need the code of
 * menus and dialogs. The loaded component shows the same button, and opens.
 */
export function loadOnUse<Props extends object>(
  load: () => Promise<ComponentType<Props & LazyProps>>,
): ComponentType<Props & LazyProps> {
  const loadPart = loadOnce(load);
  const Loaded = lazy(async () => ({ default: await loadPart() }));
  return function LoadOnUse(props: Props & LazyProps) {
    const [isUsed, use] = useState(false);
    const button = useRef<HTMLButtonElement>(null);
    const { trigger, typedFor } = props;
    const open = () => {
      holdKeys(typedFor);
      use(true);
    };
    useTypedFor(typedFor, open);
    const plain = (
      <trigger.type
        {...trigger.props}
        aria-haspopup="true"
        aria-expanded={false}
        onPointerEnter={() => void loadPart()}
        onFocus={() => void loadPart()}
        onClick={open}
      />
    );
    if (!isUsed) return plain;
    return (
      <LatePart onClose={() => use(false)} plain={plain}>
        <Loaded {...props} trigger={cloneElement(trigger, { ref: button })} />
        <Press button={button} />
      </LatePart>
    );
  };
}

/**
 * Focuses and presses the button once it exists. When the menu or dialog closes, it returns the focus to the button.
 */
function Press({ button }: { readonly button: RefObject<HTMLButtonElement | null> }) {
  const isDue = useRef(true);
  useEffect(() => {
    if (!isDue.current) return;
    isDue.current = false;
    button.current?.focus();
    button.current?.click();
    giveKeysWithin('.popover');
  }, [button]);
  return null;
}
