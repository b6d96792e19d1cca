export type { S3Client } from '@aws-sdk/client-s3';
