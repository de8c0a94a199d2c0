import { LitElement } from 'lit';

export type Constructor<Instance> = abstract new () => Instance;

/** An element without a shadow root, so that the console's style sheet applies. */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/**
 * Returns a base class whose reactive properties have these initial values. They have no
 * attributes.
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

/** Declares a property that may be undefined. */
export const optional = <Value>(value?: Value): Value | undefined => value;

/** Declares a property whose type is wider than its initial value's. */
export const oneOf = <Value>(initial: Value): Value => initial;
