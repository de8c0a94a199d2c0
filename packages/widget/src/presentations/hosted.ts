import type { Presentation } from '../checkout/answer.ts';
import { parse } from '../checkout/address.ts';
import { ConfigurationError, isTrustworthy } from '../checkout/configuration.ts';

/**
 * The address of the hosted page. It must be of another origin than the shop's: a page of this one
 * could reach up out of its frame, or be reached from here.
 * @throws {ConfigurationError}
 */
export function hostedUrl({ hosted }: Presentation): URL {
  const url = hosted && parse(hosted.url);
  if (!url || !isTrustworthy(url) || url.origin === location.origin) {
    throw new ConfigurationError(
      'hosted-url-invalid',
      'It must be on https and of another origin.',
    );
  }
  return url;
}
