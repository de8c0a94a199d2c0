import type { LitElement } from 'lit';

/** A message's element, as its dialog and the service's widget use it. */
export interface MessageHost extends LitElement {
  amount: unknown;
  currency: string | null | undefined;
  close(): void;
}
