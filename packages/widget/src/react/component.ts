import type { PropertyDeclaration } from 'lit';
import {
  createElement,
  forwardRef,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import type { ForwardRefExoticComponent, PropsWithoutRef, RefAttributes } from 'react';
import { define } from '../platform/define.ts';

type Declarations = ReadonlyMap<PropertyKey, PropertyDeclaration>;

/** An element class with the properties that it declares. */
interface ElementClass<T> {
  /** Includes the properties of superclasses once the class is finalized. */
  readonly elementProperties: Declarations;
  readonly observedAttributes: readonly string[];
  readonly version?: string;
  new (): T;
}

/** A component's props, grouped by how the element receives them. */
interface Received {
  readonly attributes: Record<string, unknown>;
  readonly properties: Record<string, unknown>;
  readonly listeners: [type: string, listener: EventListener][];
}

// Before version 19, React warns about layout effects on a server, where no effects run.
const useCommitEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/**
 * Returns a component for an element. React sets no properties or listeners on a custom element
 * during hydration, so an effect does. The tag is registered after that, so that no click precedes
 * its listener.
 */
export function componentOf<T extends HTMLElement, Props extends object>(
  tag: string,
  elementClass: ElementClass<T>,
): ForwardRefExoticComponent<PropsWithoutRef<Props> & RefAttributes<T>> {
  const Component = forwardRef<T, Props>((props, ref) => {
    const current = useRef<T>(null);
    const given = useRef<Received['properties']>({});
    const { attributes, properties, listeners } = receive(props, declarationsOf(elementClass));

    useImperativeHandle<T | null, T | null>(ref, () => current.current, []);
    useCommitEffect(() => {
      const element = current.current;
      if (!element) return;
      const dropped = Object.keys(given.current).filter((name) => !(name in properties));
      Object.assign(
        element,
        Object.fromEntries(dropped.map((name) => [name, undefined])),
        properties,
      );
      given.current = properties;
      for (const [type, listener] of listeners) element.addEventListener(type, listener);
      define(tag, elementClass);
      return () => {
        for (const [type, listener] of listeners) element.removeEventListener(type, listener);
      };
    });
    return createElement(tag, { ...attributes, ref: current });
  });
  Component.displayName = tag;
  return Component;
}

/**
 * Returns the declared properties. Reading `observedAttributes` finalizes the class, which has no
 * properties before that.
 */
function declarationsOf<T>(elementClass: ElementClass<T>): Declarations {
  return elementClass.observedAttributes.length > 0 ? elementClass.elementProperties : new Map();
}

/** Sorts props into declared properties, handlers for the element's events, and what React handles. */
function receive(props: object, declarations: Declarations): Received {
  const received: Received = { attributes: {}, properties: {}, listeners: [] };
  for (const [prop, value] of Object.entries(props) as [string, unknown][]) {
    const declaration = declarations.get(prop);
    if (declaration) {
      if (value !== undefined) received.properties[prop] = value;
      const name = attributeOf(prop, declaration);
      if (name !== undefined) received.attributes[name] = attributeValue(value);
    } else if (/^onFinancing[A-Z]/.test(prop)) {
      if (value) received.listeners.push([eventType(prop), value as EventListener]);
    } else {
      // Before version 19, React renders `className` on a custom element as an attribute of that name.
      received.attributes[prop === 'className' ? 'class' : prop] = value;
    }
  }
  return received;
}

/** Returns the name of a property's attribute, which a server renders. */
function attributeOf(property: string, { attribute }: PropertyDeclaration): string | undefined {
  if (attribute === false) return undefined;
  return typeof attribute === 'string' ? attribute : property.toLowerCase();
}

/** Returns the value of an attribute, or undefined if the value cannot be an attribute. */
function attributeValue(value: unknown): string | undefined {
  if (value === true) return '';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** `onFinancingOutcome` → `financing-outcome` */
function eventType(prop: string): string {
  return prop
    .slice('on'.length)
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .slice(1);
}
