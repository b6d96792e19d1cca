export type { FastifyInstance } from 'fastify';
