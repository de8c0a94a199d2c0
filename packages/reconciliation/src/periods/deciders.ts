import { LOOPBACK_ACTOR } from '@financing-checkout/kit';
import type { SignInSettings } from '../config/sign-in.ts';
import type { AccessToken } from '../config/tokens.ts';
import { ownerOf } from '../facts/trail.ts';
import { isSameIssuer, isSamePerson } from '../facts/people.ts';
import type { Decision } from '../facts/period-decisions.ts';

/** A decider's identity: a person at the OpenID provider, or else a token's owner. */
export type Decider = Pick<Decision, 'actor' | 'person'>;

/** The people who may decide about periods. */
export interface Deciders {
  /** Whether there are at least two, so that a second person must approve a preparation or request. */
  areTwo: boolean;
  /**
   * Whether a decision's author may still decide. Preparations by tokens stop counting once people
   * sign in or the token is removed, because the token's owner could approve them under another
   * name.
   */
  includes(decider: Decider): boolean;
}

/**
 * Returns who may decide about periods: people at the OpenID provider, assumed to be at least two;
 * without a provider, the owners of tokens; without tokens, everyone on this machine, counted as
 * one.
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

/** Returns whether two decisions have the same author. */
export function isSameDecider(one: Decider, other: Decider): boolean {
  if (one.person === undefined && other.person === undefined) {
    return ownerOf(one.actor) === ownerOf(other.actor);
  }
  return isSamePerson(one.person, other.person);
}
