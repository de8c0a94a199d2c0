import type { LitElement } from 'lit';

/** The element of a message, as its dialog and the service's widget use it. */
export interface MessageHost extends LitElement {
  amount: unknown;
  currency: string | null | undefined;
  close(): void;
}
