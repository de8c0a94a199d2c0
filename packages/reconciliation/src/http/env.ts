import { checkFields } from '@financing-checkout/contract/storefront';
import { createServing, type HttpVariables } from '@financing-checkout/kit/http';
import type { Scope } from '../config/tokens.ts';
import type { PersonKey } from '../facts/people.ts';

/** Values that middleware passes to the routes. */
export interface Env {
  Variables: HttpVariables & {
    actor: string;
    /** The signed-in person; undefined for the owner of a token. */
    person: PersonKey | undefined;
    /** ID of the console's session; undefined for a request with a token. */
    session: string | undefined;
    scopes: readonly Scope[];
  };
}

export const { parseValue, serve } = createServing<Env>(checkFields);
