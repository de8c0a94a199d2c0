import type { Presentation } from '../companion/answer.ts';
import { ConfigurationError } from '../companion/configuration.ts';
import { parse } from '../platform/address.ts';
import { isTrustworthy } from '../platform/trustworthy.ts';

/**
 * Returns the hosted page's URL. Its origin must differ from the shop's, because same-origin pages
 * can access each other across the frame boundary.
 * @throws {ConfigurationError}
 */
export function hostedUrl({ hosted }: Presentation): URL {
  const url = hosted && parse(hosted.url);
  if (!url || !isTrustworthy(url) || url.origin === location.origin) {
    throw new ConfigurationError('hosted-url-invalid', 'Set it to https, and another origin.');
  }
  return url;
}
