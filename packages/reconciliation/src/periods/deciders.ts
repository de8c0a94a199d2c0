import { LOOPBACK_ACTOR } from '@financing-checkout/kit';
import type { SignInSettings } from '../config/sign-in.ts';
import type { AccessToken } from '../config/tokens.ts';
import { ownerOf } from '../facts/trail.ts';
import { isSameIssuer, isSamePerson } from '../facts/people.ts';
import type { Decision } from '../facts/period-facts.ts';

/** Who decides: a person of the OpenID provider, else the owner of a token. */
export type Decider = Pick<Decision, 'actor' | 'person'>;

/** Who may decide about periods. */
export interface Deciders {
  /** Whether two may, so that who prepares a close or asks to reopen a period cannot approve it. */
  areTwo: boolean;
  /**
   * Whether the author of a decision may still decide. A preparation by a token does not count once people sign
   * in, nor one by a token that is gone: its owner could approve it under their other name.
   */
  includes(decider: Decider): boolean;
}

/**
 * Returns who may decide about periods: people of the OpenID provider, who are at least two because the
 * provider manages them; without a provider the owners of tokens; without tokens everyone on this machine,
 * who count as one.
 */
export function decidersOf({
  signIn,
  tokens,
}: {
  signIn: Pick<SignInSettings, 'issuer'> | undefined;
  tokens: readonly Pick<AccessToken, 'name' | 'scopes'>[];
}): Deciders {
  if (signIn !== undefined) {
    const { issuer } = signIn;
    return {
      areTwo: true,
      includes: ({ person }) => person !== undefined && isSameIssuer(person.issuer, issuer),
    };
  }
  const named = tokens.filter(({ scopes }) => scopes.includes('periods')).map(({ name }) => name);
  const owners = new Set(tokens.length === 0 ? [LOOPBACK_ACTOR] : named);
  return {
    areTwo: owners.size > 1,
    includes: ({ actor, person }) => person === undefined && owners.has(ownerOf(actor)),
  };
}

/** Whether two decisions are those of one person. */
export function isSameDecider(one: Decider, other: Decider): boolean {
  if (one.person === undefined && other.person === undefined) {
    return ownerOf(one.actor) === ownerOf(other.actor);
  }
  return isSamePerson(one.person, other.person);
}
