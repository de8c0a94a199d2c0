import type { APIRoute } from 'astro';
import { showStatus } from '../../../orders';

export const GET: APIRoute = ({ params }) => showStatus(params['id'] ?? '');
