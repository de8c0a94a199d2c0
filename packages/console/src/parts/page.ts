import { LitElement } from 'lit';
import type { Session } from '../api/session.ts';

/**
 * A page of the console. It renders without a shadow root, so that the style sheet of the console
 * applies, and is created anew for each path; a change of the query only updates it.
 */
export abstract class Page extends LitElement {
  static override properties = {
    session: { attribute: false },
    parameter: { attribute: false },
    search: { attribute: false },
  };
  declare session: Session;
  /** The last part of the path, decoded: an order key, a case id. */
  declare parameter: string;
  /** The query of the address. */
  declare search: string;

  /** Title of the page, for the document. */
  abstract readonly heading: string;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** Whether the person has a right. */
  protected may(scope: Session['scopes'][number]): boolean {
    return this.session.scopes.includes(scope);
  }
}
