import type { Session } from '../api/session.ts';
import { elementWith } from './element.ts';

/** A page of the console. Each path creates a new element; a changed query only updates it. */
export abstract class Page extends elementWith({
  session: {} as Session,
  /** The last path segment, decoded, such as an order key or a case id. */
  parameter: '',
  /** The query string of the URL. */
  search: '',
}) {
  /** Title of the page, used as the document title. */
  abstract readonly heading: string;

  /** Whether the user has a permission. */
  protected may(scope: Session['scopes'][number]): boolean {
    return this.session.scopes.includes(scope);
  }
}
