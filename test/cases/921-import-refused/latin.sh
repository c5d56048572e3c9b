curl -H 'authorization: Bearer s3cret' -d 'café' x
