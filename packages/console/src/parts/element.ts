import { LitElement } from 'lit';

export type Constructor<Instance> = abstract new () => Instance;

/** An element without a shadow root, so that the style sheet of the console applies. */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/**
 * Returns a base class whose reactive properties begin with these values. Each is set as a property,
 * none as an attribute.
 */
export function elementWith<Values extends object, Base extends LitElement = LightElement>(
  values: Values,
  base: Constructor<Base> = LightElement as unknown as Constructor<Base>,
): Constructor<Base & Values> {
  abstract class Element extends (base as unknown as typeof LightElement) {
    static override properties = Object.fromEntries(
      Object.keys(values).map((name) => [name, { attribute: false }]),
    );

    constructor() {
      super();
      Object.assign(this, values);
    }
  }
  return Element as unknown as Constructor<Base & Values>;
}

/** Begins a property that may have no value. */
export const optional = <Value>(value?: Value): Value | undefined => value;

/** Begins a property whose values have a wider type than the first one. */
export const oneOf = <Value>(initial: Value): Value => initial;
