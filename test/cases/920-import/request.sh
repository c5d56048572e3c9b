$ curl -X POST 'https://asha:s3cret-t0ken@example.com/v1/ivr?token=s3cret-t0ken' \
  -H 'authorization: Bearer s3cret-t0ken' \
  -d @stranger.json
