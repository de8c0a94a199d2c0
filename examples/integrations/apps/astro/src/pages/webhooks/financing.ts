import type { APIRoute } from 'astro';
import { receiveResult } from '../../../orders';

export const POST: APIRoute = ({ request }) => receiveResult(request);
