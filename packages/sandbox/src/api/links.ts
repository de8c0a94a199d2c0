import { generate } from 'lean-qr';
import { toPngBuffer } from 'lean-qr/extras/node_export';
import { linkToWire } from '../links/answer.ts';
import type { Link } from '../links/links.ts';
import type { LinkKind } from '../links/request.ts';
import { ServiceError } from '../platform/service-error.ts';
import type { Service } from '../service.ts';
import { plainJsonBody } from './body.ts';
import { type ApiContext, type ErrorForm, pathParameter } from './context.ts';
import { operation, type Operation } from './operation.ts';

const errors: ErrorForm = { badRequest: 'codes', unknown: '1' };

/** The operations on links. Source: docs.chargeafter.com, Omni-link. */
export function linkOperations({ lenders, links }: Service): Operation[] {
  const created = (kind: LinkKind) => (c: ApiContext) => {
    const link = links.create(c.get('environment'), kind, plainJsonBody(c));
    return c.json(createdBody(link, links.urlOf(link)), 201);
  };
  const shown = (c: ApiContext) => {
    const link = links.byId(pathParameter(c, 'linkId'), c.get('environment'));
    if (!link) throw new ServiceError(404, undefined, 'The link was not found.');
    return c.json(linkToWire(link, links, lenders));
  };
  const all = '/v2/omni-link/consumer';
  return [
    operation('links.checkout', `POST ${all}/checkout`, created('checkout'), { errors }),
    operation('links.application', `POST ${all}/application`, created('application'), { errors }),
    operation('links.get', `GET ${all}/:linkId`, shown),
  ];
}

function createdBody({ id, request }: Link, url: string) {
  const format = request.linkOptions?.linkFormat ?? 'Url';
  return {
    url: format === 'QrCode' ? null : url,
    qrCode: format === 'Url' ? null : qrCode(url),
    linkId: id,
  };
}

/** Size of each module of a QR code, in pixels. */
const SCALE = 6;

/** Returns a QR code with its quiet zone: PNG, black on white, in base64. */
function qrCode(text: string): string {
  const white = [255, 255, 255] as const;
  const png = toPngBuffer(generate(text), { off: white, scale: SCALE });
  return Buffer.from(png).toString('base64');
}
