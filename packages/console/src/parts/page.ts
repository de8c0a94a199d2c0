import type { Session } from '../api/session.ts';
import { elementWith } from './element.ts';

/** A page of the console. It is created anew for each path; a change of the query only updates it. */
export abstract class Page extends elementWith({
  session: {} as Session,
  /** The last part of the path, decoded: an order key, a case id. */
  parameter: '',
  /** The query of the address. */
  search: '',
}) {
  /** Title of the page, for the document. */
  abstract readonly heading: string;

  /** Whether the person has a right. */
  protected may(scope: Session['scopes'][number]): boolean {
    return this.session.scopes.includes(scope);
  }
}
